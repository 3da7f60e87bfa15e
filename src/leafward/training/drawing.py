"""Drawing completions for needs and having them judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leafward.models.causal import CausalModel, generate
from leafward.models.causal.model import Tokens
from leafward.training.recipe import Recipe
from leafward.types import Episode, Message, Need
from leafward.writing import Style
from leafward.writing.styles import Prompt

Scoring = Callable[[Sequence[str], Sequence[Need]], list[Episode]]
"""Judges completions, the i-th for the i-th need: :meth:`leafward.library.writing.Scorer.episodes`
is one."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Completions with what they were drawn from: ``group`` in a row for each prompt."""

    prompts: list[Tokens]
    completions: list[Tokens]
    episodes: list[Episode]

    @property
    def group(self) -> int:
        """Completions for each prompt."""
        return len(self.completions) // len(self.prompts)

    @property
    def rewards(self) -> list[float | None]:
        """None where our own failure left nothing to judge by."""
        return [episode.reward for episode in self.episodes]


def draw(
    model: CausalModel,
    style: Style,
    needs: Sequence[Need],
    score: Scoring,
    *,
    count: int,
    max_tokens: int,
    temperature: float,
    seed: int | None = None,
    stops: bool = True,
) -> Drawn:
    """Draw ``count`` completions for each need in a style and have them judged.

    Args:
        temperature: 0 is greedy.
        stops: whether a completion ends at the style's stop strings.
    """
    prompts = [encoded(model, style, need) for need in needs]
    stop = style.prompt(needs[0]).stop if stops else ()
    drawn = generate(
        model,
        prompts,
        count=count,
        max_tokens=max_tokens,
        temperature=temperature,
        stop=stop,
        seed=seed,
    )
    asked = [need for need in needs for _ in range(count)]
    episodes = score([each.text for each in drawn], asked)
    return Drawn(prompts, [each.tokens for each in drawn], episodes)


def answer(
    model: CausalModel, style: Style, needs: Sequence[Need], score: Scoring, recipe: Recipe
) -> list[Episode]:
    """Greedy completions in a style as a recipe watches them, judged."""
    episodes: list[Episode] = []
    for start in range(0, len(needs), recipe.watch.batch):
        episodes += draw(
            model,
            style,
            needs[start : start + recipe.watch.batch],
            score,
            count=1,
            max_tokens=recipe.rollout.max_tokens,
            temperature=0.0,
            stops=recipe.prompt.stop,
        ).episodes
    return episodes


def turns_of(prompt: Prompt) -> tuple[Message, ...]:
    """The turns of a prompt; a prefill is the beginning of the answer."""
    if not prompt.prefill:
        return prompt.messages
    return (*prompt.messages, Message("assistant", prompt.prefill))


def encoded(model: CausalModel, style: Style, need: Need) -> Tokens:
    """The prompt for a need as tokens, the prefill included."""
    return model.encode(turns_of(style.prompt(need)))
