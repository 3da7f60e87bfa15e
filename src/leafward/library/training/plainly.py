"""The plain loop with what it needs around it: a cold start first, then steps."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.library.training.setting import Setting
from leafward.models import Stop
from leafward.protocols import Progress
from leafward.store.files import seal
from leafward.training.board import Board
from leafward.training.checkpoints import Checkpoints
from leafward.training.folder import RunFolder
from leafward.training.recipe import Recipe

if TYPE_CHECKING:
    from leafward.models.causal import CausalModel

_log = logging.getLogger(__name__)

Load = Callable[[Path | None], "CausalModel"]


def train_plainly(
    recipe: Recipe, setting: Setting, load: Load, progress: Progress, stop: Stop
) -> None:
    """Train to the end of the recipe, from where the run stands.

    Raises:
        LeafwardError: as :func:`leafward.training.loop.train`.
    """
    from leafward.training.loop import Parts, train

    folder = RunFolder(recipe.out)
    start = cold_started(recipe, setting, load, progress)
    board = Board(folder)
    try:
        train(
            Parts(
                recipe=recipe,
                environment=setting.environment,
                watched=setting.needs.watched,
                score=setting.score,
                load=lambda place: load(place or start),
                board=board,
                checkpoints=Checkpoints(folder.checkpoints, folder.best),
                progress=progress,
                stop=stop,
            )
        )
    finally:
        board.close()


def cold_started(recipe: Recipe, setting: Setting, load: Load, progress: Progress) -> Path | None:
    """Where the policy after the cold start is, made where it is not yet; None without one."""
    if recipe.cold_start is None:
        return None
    start = RunFolder(recipe.out).start
    if start.is_dir():
        return start
    from leafward.training.cold import cold_start

    model = load(None)
    kept = cold_start(
        model,
        recipe,
        recipe.cold_start,
        setting.style,
        setting.needs.train,
        setting.score,
        progress,
    )
    if not kept:
        _log.warning("the reward liked none of the completions that the cold start drew")
    part = start.with_name(".start.part")
    shutil.rmtree(part, ignore_errors=True)
    model.save(part)
    seal(part)
    part.rename(start)
    return start
