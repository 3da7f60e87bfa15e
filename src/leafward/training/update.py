"""One step of the policy towards what was worth more than its like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from leafward.models.causal import CausalModel
from leafward.models.causal.model import Tensor, Tokens
from leafward.training.drawing import Drawn
from leafward.training.recipe import UpdateSpec


@dataclass(frozen=True, slots=True)
class Moved:
    """How far a step went. ``kl`` is the mean over tokens of the divergence from the start, before
    the step, None where it was not measured; ``norm`` is the gradient's length before it was
    clipped, 0 where nothing moved."""

    loss: float
    kl: float | None
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
    measure: bool = True,
) -> Moved:
    """Move the policy once, along −Σ advantage · log π(token) + kl · divergence, over all tokens.

    The policy that drew is the one that moves, so that GRPO's ratio is 1 and its clipping does
    nothing. The sum is divided by the number of tokens of all completions, not by each one's own
    length, which would favour long failures (Dr. GRPO, DAPO). The divergence is Schulman's
    estimator k3 = exp(d) − d − 1 with d = log π_start − log π.

    Groups of equals are left out where no divergence is weighed or measured: they add nothing.
    Where nothing is left, nothing moves, momentum included.

    Args:
        measure: whether to measure a divergence that weighs nothing.
    """
    import torch

    diverges = spec.kl > 0 or measure
    total = sum(map(len, drawn.completions))
    optimiser.zero_grad(set_to_none=True)
    loss_sum = kl_sum = 0.0
    learns = any(advantages) or spec.kl > 0
    for part in _parts(drawn, advantages, chunk, everything=diverges):
        with torch.set_grad_enabled(learns):
            logs, mask = part.log_probabilities(model, temperature)
            loss = -(part.advantages(logs) * logs * mask).sum() / total
        if diverges:
            with torch.no_grad():
                start, _ = part.log_probabilities(reference, temperature)
            with torch.set_grad_enabled(spec.kl > 0):
                gap = start - logs
                divergence = ((gap.exp() - gap - 1) * mask).sum() / total
            kl_sum += float(divergence.detach())
            loss = loss + spec.kl * divergence
        if learns:
            loss.backward()
        loss_sum += float(loss.detach())
    norm = _step(model, optimiser, spec.clip_norm) if learns else 0.0
    return Moved(loss_sum, kl_sum if diverges else None, norm)


@dataclass(frozen=True, slots=True)
class _Part:
    """Prompts of one forward, with their completions and advantages."""

    prompts: list[Tokens]
    completions: list[Tokens]
    worth: list[float]

    def log_probabilities(self, model: CausalModel, temperature: float) -> tuple[Tensor, Tensor]:
        return model.log_probabilities(self.prompts, self.completions, temperature=temperature)

    def advantages(self, like: Tensor) -> Tensor:
        """Advantages ``[n, 1]`` where the log-probabilities are."""
        import torch

        return torch.tensor(self.worth, device=like.device)[:, None]


def _parts(
    drawn: Drawn, advantages: Sequence[float], chunk: int, *, everything: bool
) -> Iterator[_Part]:
    """Prompts that teach something, or all of them, ``chunk`` at a time (0: all at once)."""
    group = drawn.group
    places = [
        place
        for place in range(len(drawn.prompts))
        if everything or any(advantages[place * group : (place + 1) * group])
    ]
    size = chunk or max(len(places), 1)
    for start in range(0, len(places), size):
        part = places[start : start + size]
        rows = [place * group + n for place in part for n in range(group)]
        yield _Part(
            [drawn.prompts[place] for place in part],
            [drawn.completions[row] for row in rows],
            [advantages[row] for row in rows],
        )


def _step(model: CausalModel, optimiser: Any, clip_norm: float) -> float:
    """Clip the gradient and move; returns the gradient's length before."""
    import torch

    norm = float(torch.nn.utils.clip_grad_norm_(model.model.parameters(), clip_norm))
    optimiser.step()
    return norm
