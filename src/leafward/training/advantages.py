"""What each completion was worth beside the others for the same need."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from leafward.training.recipe import Advantage

_EPSILON = 1e-4
"""Keeps a group of nearly equal rewards from a division by nearly nothing; as in TRL."""


def group_advantages(
    rewards: Sequence[float | None], group: int, kind: Advantage = "group"
) -> list[float]:
    """Advantages of completions, of which ``group`` in a row are for one need.

    A reward less the mean of its group; ``group`` divides by the group's standard deviation too
    (GRPO: Shao et al. 2024, arXiv 2402.03300, §4.1), ``centred`` does not (Dr. GRPO: Liu et al.
    2025, arXiv 2503.20783). Our tiers jump from −2.5 to 6, so that without the division a need that
    one completion meets would move the policy eight times as far as one on the edge of two lower
    tiers, and the step would grow and shrink with the policy's luck; with it each need counts the
    same. Its known bias, towards needs that are nearly always or nearly never met, costs little
    where most groups are mixed.

    A completion without a reward, by our own failure, has the advantage 0, and is in no mean. So
    has everyone in a group of equals.
    """
    found: list[float] = []
    for start in range(0, len(rewards), group):
        found += _of_group(rewards[start : start + group], kind)
    return found


def _of_group(rewards: Sequence[float | None], kind: Advantage) -> list[float]:
    scored = [reward for reward in rewards if reward is not None]
    if len(scored) < 2 or min(scored) == max(scored):
        return [0.0] * len(rewards)
    mean = statistics.fmean(scored)
    scale = statistics.stdev(scored) + _EPSILON if kind == "group" else 1.0
    return [0.0 if reward is None else (reward - mean) / scale for reward in rewards]


def flat_share(rewards: Sequence[float | None], group: int) -> float:
    """Share of groups that teach nothing, because all their rewards are equal."""
    advantages = group_advantages(rewards, group, "centred")
    starts = range(0, len(rewards), group)
    return sum(not any(advantages[n : n + group]) for n in starts) / max(len(starts), 1)
