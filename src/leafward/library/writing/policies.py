"""Checkpoints that know how they were trained to be asked."""

from __future__ import annotations

from leafward.models.causal.sources import checkpoint_folder, is_checkpoint
from leafward.training.policy_file import PolicyFile, read_policy_file


def policy_of(model: str | None) -> PolicyFile | None:
    """What the checkpoint that a specification names says of itself; None for other models.

    Raises:
        WeightsError: there is no model at the path, or what it says cannot be read.
    """
    if model is None or not is_checkpoint(model):
        return None
    return read_policy_file(checkpoint_folder(model))
