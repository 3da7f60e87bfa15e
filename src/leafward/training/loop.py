"""The plain loop: draw, judge, move; GRPO with one backward a step, read from top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from leafward.errors import Interrupted
from leafward.models import Stop
from leafward.models.causal import CausalModel
from leafward.protocols import Progress
from leafward.training.advantages import flat_share, group_advantages
from leafward.training.board import Board
from leafward.training.checkpoints import Checkpoints, State
from leafward.training.curves import Row, row_of
from leafward.training.drawing import Drawn, Scoring, answer, draw
from leafward.training.policy_file import policy_of
from leafward.training.recipe import Recipe
from leafward.training.update import Moved, make_optimiser, update
from leafward.types import Need
from leafward.writing import Environment, tally

STEPS = "training"


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run works with. ``load`` loads a policy: the start, or that of a checkpoint;
    ``watched`` are the needs held out."""

    recipe: Recipe
    environment: Environment
    watched: Sequence[Need]
    score: Scoring
    load: Callable[[Path | None], CausalModel]
    board: Board
    checkpoints: Checkpoints
    progress: Progress
    stop: Stop


def train(parts: Parts) -> State:
    """Train from the latest checkpoint on, or from the start; returns where it ended.

    A run that was killed and goes on takes the same steps as one that was not: the needs of a step,
    and what is drawn in it, are functions of seed and step.

    Raises:
        Interrupted: the user asked to stop; a checkpoint of the last whole step is there.
        StoreError: a checkpoint cannot be written or read.
        LeafwardError: what :meth:`leafward.writing.Environment.step` raises.
    """
    recipe = parts.recipe
    reference = parts.load(None)
    model, optimiser, state = _begin(parts)
    parts.progress.start(STEPS, recipe.update.steps)
    parts.progress.advance(STEPS, state.step)
    while state.step < recipe.update.steps and not _over(recipe, state):
        row = _step(parts, model, reference, optimiser, state.step)
        state = replace(state, step=state.step + 1)
        parts.board.step(row)
        parts.progress.advance(STEPS)
        stopping = parts.stop.is_set
        if state.step % recipe.watch.every == 0 or state.step == recipe.update.steps:
            state = _watch(parts, model, state)
            _save(parts, state, model, optimiser)
        elif stopping:
            _save(parts, state, model, optimiser)
        if stopping:
            raise Interrupted(
                f"stopped after step {state.step}", hint="the same command with --resume goes on"
            )
    parts.progress.finish(STEPS)
    return state


def _begin(parts: Parts) -> tuple[CausalModel, Any, State]:
    """The policy, its optimiser and where the run stands."""
    place = parts.checkpoints.latest()
    model = parts.load(place)
    optimiser = make_optimiser(model, parts.recipe.update.learning_rate)
    if place is not None:
        state = parts.checkpoints.restore(place, optimiser)
        parts.board.cut(state.step)
        return model, optimiser, state
    parts.board.cut(-1)
    state = _watch(parts, model, State())
    _save(parts, state, model, optimiser)
    return model, optimiser, state


def _over(recipe: Recipe, state: State) -> bool:
    """Whether the reward has not risen for as long as the recipe waits."""
    return bool(recipe.watch.patience) and state.waited >= recipe.watch.patience


def _step(
    parts: Parts, model: CausalModel, reference: CausalModel, optimiser: Any, step: int
) -> Row:
    recipe, begun = parts.recipe, time.perf_counter()
    needs = parts.environment.batch(step, recipe.rollout.needs)
    drawn = draw(
        model,
        parts.environment.style,
        needs,
        parts.score,
        count=recipe.rollout.group,
        max_tokens=recipe.rollout.max_tokens,
        temperature=recipe.rollout.temperature,
        seed=draw_seed(recipe.seed, step),
        stops=recipe.prompt.stop,
    )
    sampled = time.perf_counter()
    moved = update(
        model,
        reference,
        optimiser,
        drawn,
        group_advantages(drawn.rewards, recipe.rollout.group, recipe.update.advantage),
        temperature=recipe.rollout.temperature,
        spec=recipe.update,
        chunk=recipe.rollout.chunk,
        measure=step % recipe.update.measure_kl == 0,
    )
    ended = time.perf_counter()
    seconds = {"sampling_seconds": sampled - begun, "update_seconds": ended - sampled}
    return row_of(step + 1, tally(drawn.episodes), {**_facts(drawn, moved), **seconds})


def _facts(drawn: Drawn, moved: Moved) -> dict[str, float | None]:
    """What a curve shows beside the tally of a step."""
    tokens = [len(each) for each in drawn.completions]
    return {
        "flat": flat_share(drawn.rewards, drawn.group),
        "loss": moved.loss,
        "kl": moved.kl,
        "gradient_norm": moved.norm,
        "completion_tokens": sum(tokens) / len(tokens),
    }


def _watch(parts: Parts, model: CausalModel, state: State) -> State:
    """Answer the needs held out, greedily, and see whether it is the best so far."""
    summed = tally(answer(model, parts.environment.style, parts.watched, parts.score, parts.recipe))
    parts.board.watch(row_of(state.step, summed, {}))
    return state.watched(summed.reward)


def _save(parts: Parts, state: State, model: CausalModel, optimiser: Any) -> None:
    policy = policy_of(parts.environment.style, parts.recipe)
    parts.checkpoints.save(state, model, optimiser, policy)


def draw_seed(seed: int, step: int) -> int:
    """The seed of a step's draws: far from those of other steps and seeds."""
    return (seed * 1_000_003 + step) % (1 << 63)
