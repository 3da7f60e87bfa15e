"""A run over a tiny model and an engine that finds what a test says."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.writing.fakes import FakeEngine, need

from leafward.errors import QuerySyntaxError
from leafward.models import Stop
from leafward.protocols import Silent
from leafward.training import Recipe, recipe_from
from leafward.training.board import Board
from leafward.training.checkpoints import Checkpoints
from leafward.training.drawing import Scoring
from leafward.training.folder import RunFolder
from leafward.training.loop import Parts
from leafward.types import Ranking
from leafward.writing import Environment, Style

TEXTS = ('20 of 20"}', '3 of 20"}', '0 of 9"}', "and so on", '! x"}')
"""What the tiny model says: worth 6, 1.5, −2.5, −4 and −3."""

NEEDS = [need(f"n{number}") for number in range(12)]


def recipe(out: Path, **changes: Any) -> Recipe:
    """A recipe of few and short steps."""
    given: dict[str, Any] = {
        "model": "checkpoint:tiny",
        "engine": {"name": "pubmed"},
        "reward": "literature",
        "needs": {"source": "needs", "watch": 4},
        "prompt": {"reasoning": False, "prefilled": True},
        "rollout": {"needs": 3, "group": 4, "max_tokens": 2},
        "update": {"steps": 6, "learning_rate": 3e-3},
        "watch": {"every": 2, "batch": 3},
        "out": str(out),
        "threads": 1,
        "device": "cpu",
    }
    return recipe_from({**given, **changes}, out.parent / "recipe.toml")


class Engine(FakeEngine):
    """Refuses what the fake cannot make hits of, which a policy may well write."""

    async def search(self, expression: str, *, k: int) -> Ranking:
        try:
            return await super().search(expression, k=k)
        except (ValueError, IndexError) as error:
            raise QuerySyntaxError("not R of N", column=1, hint="write 3 of 20") from error


class Unpictured(Board):
    """Curves without a picture, which takes longer than the training of a tiny model."""

    def draw(self) -> None:
        pass


def scoring(environment: Environment) -> Scoring:
    return lambda texts, needs: asyncio.run(environment.step(texts, needs))


def parts(made: Recipe, checkpoint: Path, *, fails: float = 0.0) -> Parts:
    """What the loop works with; ``fails`` is the share of searches that fail as an outage."""
    from leafward.models.causal import load_causal

    folder = RunFolder(made.out)
    folder.path.mkdir(parents=True, exist_ok=True)
    engine = Engine(fails=fails)
    style = Style.of(engine, reasoning=False, prefilled=True)
    environment = Environment(NEEDS, engine, made.reward, style=style, seed=made.seed)
    return Parts(
        recipe=made,
        environment=environment,
        watched=NEEDS[:4],
        score=scoring(environment),
        load=lambda place: load_causal(str(place or checkpoint), device="cpu", threads=1),
        board=Unpictured(folder),
        checkpoints=Checkpoints(folder.checkpoints, folder.best),
        progress=Silent(),
        stop=Stop(),
    )
