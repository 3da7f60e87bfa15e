"""A cold start: the model learns from those of its own completions that the reward liked.

Rejection sampling (query-writing §5; STaR: Zelikman et al. 2022, arXiv 2203.14465): no label is
seen, only what the engine found.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from leafward.models.causal import CausalModel
from leafward.models.causal.model import Tokens
from leafward.protocols import Progress
from leafward.training.drawing import Scoring, draw, encoded
from leafward.training.recipe import ColdStartSpec, Recipe
from leafward.training.update import make_optimiser
from leafward.types import Need
from leafward.writing import Style

SAMPLING, LEARNING = "cold start: drawing", "cold start: learning"
_AT_ONCE = 4
"""Needs that are drawn for at once."""

Pair = tuple[Tokens, Tokens]
"""A prompt and a completion that was kept."""


def cold_start(
    model: CausalModel,
    recipe: Recipe,
    spec: ColdStartSpec,
    style: Style,
    needs: Sequence[Need],
    score: Scoring,
    progress: Progress,
) -> int:
    """Train the model in place; returns how many completions were kept, which may be none."""
    pairs = kept(model, recipe, spec, style, needs[: spec.needs], score, progress)
    batches = list(_batches(pairs, spec, recipe.seed))
    optimiser = make_optimiser(model, spec.learning_rate)
    progress.start(LEARNING, len(batches))
    for batch in batches:
        _learn(model, optimiser, batch, recipe.update.clip_norm)
        progress.advance(LEARNING)
    progress.finish(LEARNING)
    return len(pairs)


def kept(
    model: CausalModel,
    recipe: Recipe,
    spec: ColdStartSpec,
    style: Style,
    needs: Sequence[Need],
    score: Scoring,
    progress: Progress,
) -> list[Pair]:
    """Completions drawn under a prompt with examples, the best of each need that are good enough,
    each with the recipe's own prompt."""
    shown = replace(style, shots=spec.shots)
    found: list[Pair] = []
    progress.start(SAMPLING, len(needs))
    for start in range(0, len(needs), _AT_ONCE):
        part = needs[start : start + _AT_ONCE]
        drawn = draw(
            model,
            shown,
            part,
            score,
            count=spec.samples,
            max_tokens=recipe.rollout.max_tokens,
            temperature=spec.temperature,
            seed=recipe.seed + start,
            stops=recipe.prompt.stop,
        )
        for place, need in enumerate(part):
            rows = slice(place * spec.samples, (place + 1) * spec.samples)
            prompt = encoded(model, style, need)
            liked = _liked(drawn.completions[rows], drawn.rewards[rows], spec)
            found += [(prompt, completion) for completion in liked]
        progress.advance(SAMPLING, len(part))
    progress.finish(SAMPLING)
    return found


def _liked(
    completions: Sequence[Tokens], rewards: Sequence[float | None], spec: ColdStartSpec
) -> list[Tokens]:
    """Different completions with a reward that is high enough, the highest first."""
    scored = [
        (reward, tuple(tokens))
        for tokens, reward in zip(completions, rewards, strict=True)
        if reward is not None and reward > spec.above
    ]
    order = sorted(dict.fromkeys(scored), key=lambda pair: -pair[0])
    return [list(tokens) for _, tokens in order[: spec.per_need]]


def _batches(pairs: Sequence[Pair], spec: ColdStartSpec, seed: int) -> Iterator[list[Pair]]:
    for epoch in range(spec.epochs):
        order = list(pairs)
        random.Random(f"{seed}/{epoch}").shuffle(order)
        for start in range(0, len(order), spec.batch):
            yield order[start : start + spec.batch]


def _learn(model: CausalModel, optimiser: object, batch: Sequence[Pair], clip_norm: float) -> None:
    """One step towards completions: minus the mean log-probability of their tokens."""
    import torch

    prompts, completions = [list(each) for each in zip(*batch, strict=True)]
    optimiser.zero_grad(set_to_none=True)  # type: ignore[attr-defined]
    logs, mask = model.log_probabilities(prompts, completions)
    (-(logs * mask).sum() / mask.sum()).backward()
    torch.nn.utils.clip_grad_norm_(model.model.parameters(), clip_norm)
    optimiser.step()  # type: ignore[attr-defined]
