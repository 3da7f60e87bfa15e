"""TRL with what it needs around it."""

from __future__ import annotations

from pathlib import Path

from leafward.library.training.plainly import Load, cold_started
from leafward.library.training.setting import Setting
from leafward.protocols import Progress
from leafward.training.board import Board
from leafward.training.checkpoints import State
from leafward.training.curves import Curve
from leafward.training.folder import RunFolder
from leafward.training.recipe import Recipe


def train_with_trl(recipe: Recipe, setting: Setting, load: Load, progress: Progress) -> None:
    """Train to the end of the recipe, from TRL's last checkpoint where there is one.

    Raises:
        MissingExtra: trl, peft or datasets is not installed.
        LeafwardError: what judging raises.
    """
    from leafward.training.trl_bridge import Watcher
    from leafward.training.trl_bridge import train_with_trl as train

    folder = RunFolder(recipe.out)
    step = last_step(folder.trl)
    if step is not None and step >= recipe.update.steps:
        return
    start = load(cold_started(recipe, setting, load, progress))
    board = Board(folder)
    board.cut(-1 if step is None else step)
    watcher = Watcher(
        recipe,
        setting.style,
        setting.needs.watched,
        setting.score,
        board,
        folder.best,
        progress,
        state=_best_so_far(folder),
    )
    try:
        train(recipe, setting.environment, watcher, start, resume=step is not None)
    finally:
        board.close()


def last_step(folder: Path) -> int | None:
    """The step of TRL's last checkpoint; None where there is none."""
    steps = [
        int(path.name.removeprefix("checkpoint-"))
        for path in folder.glob("checkpoint-*")
        if path.name.removeprefix("checkpoint-").isdigit()
    ]
    return max(steps, default=None)


def _best_so_far(folder: RunFolder) -> State:
    state = State()
    for row in Curve(folder.watch):
        state = State(row["step"], state.best, state.best_step).watched(row["reward"])
    return state
