"""Where a run is seen: JSONL, TensorBoard and a picture, all told from the same rows."""

from __future__ import annotations

import logging
import shutil
from importlib.util import find_spec
from typing import Any

from leafward.training.curves import Curve, Row
from leafward.training.folder import RunFolder

_log = logging.getLogger(__name__)


class Board:
    """Keeps the curves of a run: the JSONL counts, the others are drawn from it."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._steps = Curve(folder.steps)
        self._watch = Curve(folder.watch)
        self._writer: Any = None

    def step(self, row: Row) -> None:
        """A step was taken."""
        self._steps.append(row)
        self._show("train", row)

    def watch(self, row: Row) -> None:
        """The needs held out were answered; the picture is drawn anew."""
        self._watch.append(row)
        self._show("held out", row)
        self.draw()

    def cut(self, step: int) -> None:
        """Forget what came after a step; the run goes on from there."""
        self._steps.cut(step)
        self._watch.cut(step)
        self.close()
        shutil.rmtree(self._folder.tensorboard, ignore_errors=True)
        for row in self._steps:
            self._show("train", row)
        for row in self._watch:
            self._show("held out", row)

    def draw(self) -> None:
        """Draw the curves as PNG and SVG, where matplotlib is installed."""
        if find_spec("matplotlib") is None:
            _log.warning("no picture of the curves: matplotlib is not installed (extra train)")
            return
        from leafward.training.picture import draw_curves

        draw_curves(
            list(self._steps), list(self._watch), self._folder.curves, self._folder.path.name
        )

    def close(self) -> None:
        """Write what TensorBoard has not written yet."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _show(self, where: str, row: Row) -> None:
        """A row in TensorBoard, where it is installed."""
        if find_spec("tensorboard") is None or find_spec("torch") is None:
            return
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(self._folder.tensorboard))
        for name, value in scalars(row):
            self._writer.add_scalar(f"{where}/{name}", value, row["step"])


def scalars(row: Row) -> list[tuple[str, float]]:
    """The numbers of a row by name; shares of tiers as ``levels/5``."""
    found: list[tuple[str, float]] = []
    for name, value in row.items():
        if isinstance(value, dict):
            found += [(f"{name}/{key}", float(each)) for key, each in value.items()]
        elif isinstance(value, int | float) and name != "step":
            found.append((name, float(value)))
    return found
