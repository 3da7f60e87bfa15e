"""One step of the policy towards what was worth more than its like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leafward.models.causal import CausalModel
from leafward.training.drawing import Drawn, chunks
from leafward.training.recipe import UpdateSpec


@dataclass(frozen=True, slots=True)
class Moved:
    """How far a step went. ``kl`` is the mean over tokens of the divergence from the start, before
    the step; ``norm`` the gradient's length before it was clipped, 0 where nothing moved."""

    loss: float
    kl: float
    norm: float


def make_optimiser(model: CausalModel, learning_rate: float) -> Any:
    """AdamW over all weights, without decay: the start is what weights should stay near."""
    import torch

    return torch.optim.AdamW(model.model.parameters(), lr=learning_rate, weight_decay=0.0)


def update(
    model: CausalModel,
    reference: CausalModel,
    optimiser: Any,
    drawn: Drawn,
    advantages: Sequence[float],
    *,
    temperature: float,
    spec: UpdateSpec,
    chunk: int = 0,
) -> Moved:
    """Move the policy once, along −Σ advantage · log π(token) + kl · divergence, over all tokens.

    The policy that drew is the one that moves, so that GRPO's ratio is 1 and its clipping does
    nothing. The sum is divided by the number of tokens of all completions, not by each one's own
    length, which would favour long failures (Dr. GRPO, DAPO). The divergence is Schulman's
    estimator k3 = exp(d) − d − 1 with d = log π_start − log π.

    Where all advantages are 0 and no divergence is weighed, nothing moves, momentum included.
    """
    import torch

    total = sum(map(len, drawn.completions))
    optimiser.zero_grad(set_to_none=True)
    learns = any(advantages) or spec.kl > 0
    loss_sum = kl_sum = 0.0
    for part in chunks(drawn, chunk):
        rows = slice(part.start * drawn.group, part.stop * drawn.group)
        prompts, completions = drawn.prompts[part], drawn.completions[rows]
        with torch.no_grad():
            start, _ = reference.log_probabilities(prompts, completions, temperature=temperature)
        with torch.set_grad_enabled(learns):
            logs, mask = model.log_probabilities(prompts, completions, temperature=temperature)
            gap = start - logs
            divergence = (gap.exp() - gap - 1) * mask
            worth = torch.tensor(advantages[rows], device=logs.device)[:, None]
            loss = ((spec.kl * divergence - worth * logs) * mask).sum() / total
        if learns:
            loss.backward()
        loss_sum += float(loss.detach())
        kl_sum += float(divergence.detach().sum()) / total
    norm = 0.0
    if learns:
        weights = model.model.parameters()
        norm = float(torch.nn.utils.clip_grad_norm_(weights, spec.clip_norm))
        optimiser.step()
    return Moved(loss_sum, kl_sum, norm)
