"""The reward function that verl loads (``reward.custom_reward_function``), over our rewards.

One process of verl scores completions one by one on one event loop. The engine is opened at the
first of them, and stays open as long as the process.
"""

from __future__ import annotations

import asyncio
import statistics
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from leafward.errors import EngineUnavailable
from leafward.library.training.setting import engine_for
from leafward.settings import Settings
from leafward.training.recipe import Recipe
from leafward.training.verl.data import need_of
from leafward.types import Episode, Need
from leafward.writing import Environment, Style

LOST_IN_A_ROW = 64
"""Episodes without a score in a row after which the engine counts as gone."""

_RECENT = 512


@dataclass
class Judge:
    """Scores completions for one recipe, and stands in where our own failure left no score.

    verl has no place for an episode without a reward. Such an episode gets the mean of the recent
    ones, so that it pushes the policy nowhere on average, and is counted as ``unscored``; before
    there is a recent one, or after :data:`LOST_IN_A_ROW`, the run stops instead, to be resumed
    from its checkpoint when the engine is back.
    """

    recipe: Recipe
    environment: Environment | None = None
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=_RECENT))
    lost: int = 0

    async def score(self, completion: str, need: Need) -> dict[str, float]:
        """The reward as ``score``, with what shows a trick beside it; the same keys always.

        Raises:
            EngineUnavailable: the engine gave no answer for too long.
        """
        if self.environment is None:
            self.environment = self._opened(need)
        (episode,) = await self.environment.step([completion], [need])
        reward = episode.reward
        if reward is None:
            reward = self._stood_in(episode)
        else:
            self.lost = 0
            self.recent.append(reward)
        return told(episode, reward)

    def _opened(self, need: Need) -> Environment:
        recipe = self.recipe
        engine = engine_for(recipe, Settings())
        style = Style.of(engine, reasoning=recipe.prompt.reasoning, shots=recipe.prompt.shots)
        return Environment(
            [need],
            engine,
            recipe.reward,
            style=style,
            concurrency=recipe.engine.concurrency,
            seed=recipe.seed,
        )

    def _stood_in(self, episode: Episode) -> float:
        self.lost += 1
        if not self.recent or self.lost > LOST_IN_A_ROW:
            raise EngineUnavailable(
                f"no score for {self.lost} episodes in a row: {episode.failure}",
                hint="start verl again when the engine answers: it resumes from its checkpoint",
            )
        return statistics.fmean(self.recent)


def told(episode: Episode, reward: float) -> dict[str, float]:
    """An episode as numbers, as verl averages them in its logs."""
    measure = 0.0 if episode.score is None else episode.score.measure or 0.0
    return {
        "score": reward,
        "unscored": float(episode.score is None),
        "valid": float(episode.rewrite.well_formed),
        "executed": float(episode.hits is not None),
        "measure": measure,
        "found": float(bool(measure)),
        "hits": float(episode.hits or 0),
        "at_cap": float(bool(episode.at_cap)),
        "precision": episode.precision or 0.0,
        "thought_length": float(len(episode.rewrite.reasoning)),
        "expression_length": float(len(episode.rewrite.expression)),
    }


_judges: dict[tuple[str, int], Judge] = {}


def _judge_of(recipe: str) -> Judge:
    return Judge(Recipe.model_validate_json(Path(recipe).read_text(encoding="utf-8")))


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, object] | None = None,
    *,
    recipe: str,
    **_: object,
) -> dict[str, float]:
    """What verl calls: the completion in ``solution_str`` for the need in ``ground_truth``.

    Args:
        recipe: path of the run's ``recipe.json`` (``reward_kwargs`` in the configuration).

    Raises:
        EngineUnavailable: as :meth:`Judge.score`.
        LeafwardError: what opening the engine raises.
    """
    key = (recipe, id(asyncio.get_running_loop()))
    if key not in _judges:
        _judges[key] = _judge_of(recipe)
    return await _judges[key].score(solution_str, need_of(ground_truth))
