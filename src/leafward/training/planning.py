"""What a run will take, told before anything is loaded."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from leafward.tokens import estimate_messages, estimate_tokens
from leafward.training.curves import Curve
from leafward.training.folder import RunFolder
from leafward.training.recipe import Recipe
from leafward.types import Need
from leafward.writing import Style

_SAMPLE = 200
"""Needs whose prompts are measured."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A run in numbers.

    ``prompt_tokens`` is the mean estimate of a prompt, ``shared_tokens`` what of it is the same for
    all needs. A step reads ``step_tokens`` at most: each prompt once and each completion once,
    where the trainer shares them, else each completion with its prompt. ``seconds`` is for the
    steps that are left, from those that this run took already; None before the first.
    ``command`` starts verl; the files that it reads are written.
    """

    name: str
    trainer: str
    model: str
    engine: str
    reward: str
    out: str
    train_needs: int
    watched_needs: int
    compared_needs: int
    prompt_tokens: int
    shared_tokens: int
    completions: int
    steps: int
    steps_done: int
    epochs: float
    step_tokens: int
    total_completions: int
    seconds: float | None = None
    command: tuple[str, ...] = ()


def make_plan(
    recipe: Recipe,
    style: Style,
    needs: tuple[Sequence[Need], Sequence[Need], Sequence[Need]],
    command: tuple[str, ...] = (),
) -> TrainingPlan:
    """A plan from a recipe and its needs: trained on, held out, compared on."""
    train, watched, compared = needs
    prompt = mean_prompt_tokens(style, train)
    shared = estimate_tokens(style.system)
    per_step, completions, steps = _sizes(recipe, len(train))
    drawn = completions * recipe.rollout.max_tokens
    if recipe.trainer == "plain":
        read = shared + per_step * max(prompt - shared, 0)
    else:
        read = completions * prompt
    done, seconds = _so_far(recipe, steps)
    return TrainingPlan(
        name=recipe.name,
        trainer=recipe.trainer,
        model=recipe.model,
        engine=recipe.engine.name,
        reward=recipe.reward,
        out=str(recipe.out),
        train_needs=len(train),
        watched_needs=len(watched),
        compared_needs=len(compared),
        prompt_tokens=prompt,
        shared_tokens=shared,
        completions=completions,
        steps=steps,
        steps_done=done,
        epochs=steps * per_step / len(train),
        step_tokens=read + drawn,
        total_completions=steps * completions,
        seconds=seconds,
        command=command,
    )


def _sizes(recipe: Recipe, train: int) -> tuple[int, int, int]:
    """Needs and completions of a step, and the number of steps."""
    if recipe.trainer == "verl":
        verl = recipe.verl_spec
        return verl.batch, verl.batch, verl.epochs * max(train // verl.batch, 1)
    return recipe.rollout.needs, recipe.samples, recipe.update.steps


def mean_prompt_tokens(style: Style, needs: Sequence[Need]) -> int:
    """The mean estimate of a prompt, over the first needs."""
    prompts = [style.prompt(need) for need in needs[:_SAMPLE]]
    counts = [
        estimate_messages(prompt.messages) + estimate_tokens(prompt.prefill) for prompt in prompts
    ]
    return round(statistics.fmean(counts))


def _so_far(recipe: Recipe, steps: int) -> tuple[int, float | None]:
    """Steps that were taken, and seconds that those left are expected to take."""
    rows = list(Curve(RunFolder(recipe.out).steps))
    if not rows:
        return 0, None
    pace = statistics.median(row["sampling_seconds"] + row["update_seconds"] for row in rows)
    return len(rows), pace * max(steps - len(rows), 0)
