"""What a recipe trains in: its engine, its needs in three parts, and the scorer over both."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from leafward.closing import Closing
from leafward.errors import SettingsError
from leafward.library.engines import open_engine
from leafward.library.portal import Portal
from leafward.library.training.corpora import engine_of
from leafward.library.writing import read_needs
from leafward.protocols import SearchEngine
from leafward.settings import Settings
from leafward.training.folder import RunFolder
from leafward.training.recipe import Recipe
from leafward.types import Episode, Need
from leafward.writing import Environment, Style
from leafward.writing.rewards import Reward, make_reward

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Needs:
    """The needs of a run, disjoint: trained on, held out to see when to stop, and compared on."""

    train: tuple[Need, ...]
    watched: tuple[Need, ...]
    compared: tuple[Need, ...]


def needs_of(recipe: Recipe) -> Needs:
    """Read the needs of a recipe.

    Held out is a sample of the split that is trained on, drawn with the recipe's seed; what is
    compared on is drawn with a seed of its own, so that runs of several seeds share it.

    Raises:
        CorpusError: a source cannot be read.
        SettingsError: too few needs, or some of those compared on are trained on.
    """
    spec = recipe.needs
    reward = make_reward(recipe.reward)
    given = _scorable(
        read_needs(spec.source, split=spec.split, limit=spec.limit, seed=recipe.seed), reward
    )
    if len(given) <= spec.watch:
        raise SettingsError(
            f"{len(given)} needs are too few to hold {spec.watch} of them out",
            hint="make needs.watch smaller",
        )
    held = set(random.Random(f"watch/{recipe.seed}").sample(range(len(given)), spec.watch))
    compared = read_needs(
        recipe.compare.source or spec.source,
        split=recipe.compare.split,
        limit=recipe.compare.limit,
    )
    known = {need.text for need in given}
    return Needs(
        tuple(need for place, need in enumerate(given) if place not in held),
        tuple(given[place] for place in sorted(held)),
        tuple(need for need in _scorable(compared, reward) if need.text not in known),
    )


class Setting(Closing):
    """An engine with an environment over it; close it, or use it as a context manager."""

    def __init__(self, recipe: Recipe, settings: Settings) -> None:
        """Read the needs and open the engine.

        Raises:
            LeafwardError: what reading the needs or opening the engine raises.
        """
        self.recipe = recipe
        self.needs = needs_of(recipe)
        self._portal = Portal()
        self.engine = engine_for(recipe, settings)
        try:
            self.style = Style.of(
                self.engine,
                reasoning=recipe.prompt.reasoning,
                shots=recipe.prompt.shots,
                prefilled=recipe.prompt.prefilled,
            )
            self.environment = self._environment(self.needs.train, self.style, recipe.reward)
        except BaseException:
            self.close()
            raise

    def comparing(self, style: Style) -> Environment:
        """The needs compared on, asked in a style."""
        reward = self.recipe.compare.cutoff or self.recipe.reward
        return self._environment(self.needs.compared, style, reward)

    def score(self, completions: Sequence[str], needs: Sequence[Need]) -> list[Episode]:
        """Judge completions in training; blocks."""
        return self.call(lambda: self.environment.step(completions, needs))

    def call(self, function: Callable[[], Awaitable[Result]]) -> Result:
        """Run an async function on the loop of the engine."""
        return self._portal.call(function)

    def close(self) -> None:
        """Close the engine and the loop it worked on."""
        aclose = getattr(self.engine, "aclose", None)  # one that was made here holds nothing
        if aclose is not None:
            self._portal.call(aclose)
        self._portal.close()

    def _environment(self, needs: Sequence[Need], style: Style, reward: str) -> Environment:
        recipe = self.recipe
        return Environment(
            needs,
            self.engine,
            reward,
            style=style,
            concurrency=recipe.engine.concurrency,
            seed=recipe.seed,
        )


def engine_for(recipe: Recipe, settings: Settings) -> SearchEngine:
    """The engine of a recipe, made of its corpora or opened by its name.

    Raises:
        LeafwardError: what opening it raises.
    """
    spec = recipe.engine
    if spec.corpora:
        return engine_of(spec.name, spec.corpora, RunFolder(recipe.out).engine)
    return open_engine(spec.name, settings=settings)


def _scorable(needs: Sequence[Need], reward: Reward) -> list[Need]:
    """Needs for which the reward has something to compare with."""
    return [need for need in needs if (need.gold.strip() if reward.needs_gold else need.relevant)]
