"""Where the files of a run are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leafward.errors import IndexBusy, SettingsError, StoreError
from leafward.evaluate.files import write_lines
from leafward.store.lock import WriterLock
from leafward.training.recipe import Recipe

_MAY_CHANGE = {"name", "watch", "compare", "threads", "device", "out"}
"""Parts of a recipe that a run may go on with in another form, besides the number of steps."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of a run: ``recipe.json``, ``steps.jsonl``, ``watch.jsonl``, ``curves.png``,
    ``tensorboard/``, ``checkpoints/``, ``best/`` (the policy), ``compare/`` and ``report.md``."""

    path: Path

    @property
    def recipe(self) -> Path:
        return self.path / "recipe.json"

    @property
    def steps(self) -> Path:
        return self.path / "steps.jsonl"

    @property
    def watch(self) -> Path:
        return self.path / "watch.jsonl"

    @property
    def curves(self) -> Path:
        return self.path / "curves"

    @property
    def tensorboard(self) -> Path:
        return self.path / "tensorboard"

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def start(self) -> Path:
        """The policy after a cold start."""
        return self.path / "start"

    @property
    def best(self) -> Path:
        """The policy: the checkpoint with the best mean reward on the needs held out."""
        return self.path / "best"

    @property
    def engine(self) -> Path:
        return self.path / "engine"

    @property
    def compare(self) -> Path:
        return self.path / "compare"

    @property
    def trl(self) -> Path:
        """Checkpoints of TRL's own."""
        return self.path / "trl"

    @property
    def report(self) -> Path:
        return self.path / "report.md"

    @property
    def verl(self) -> Path:
        return self.path / "verl"

    def begin(self, recipe: Recipe, *, resume: bool) -> WriterLock:
        """Take the folder for a run; close what is returned when it ends.

        Raises:
            SettingsError: there is a run already, and it is not to be resumed; or it was begun with
                another recipe.
            IndexBusy: another process trains here.
            StoreError: the folder cannot be written to.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"cannot make {self.path}: {error}", hint="check your rights"
            ) from error
        try:
            lock = WriterLock(self.path / "run.lock")
        except IndexBusy as error:
            raise IndexBusy(
                f"another process trains in {self.path}", hint="wait until it ends"
            ) from error
        try:
            self._check(recipe, resume=resume)
        except BaseException:
            lock.close()
            raise
        write_lines(self.recipe, [recipe.model_dump_json()])
        return lock

    def _check(self, recipe: Recipe, *, resume: bool) -> None:
        if not self.recipe.is_file():
            return
        if not resume:
            raise SettingsError(
                f"there is a run in {self.path}",
                hint="--resume goes on with it; or name another folder as out in the recipe",
            )
        was, now = _fixed(self.recipe.read_text(encoding="utf-8")), _fixed(recipe.model_dump_json())
        changed = [name for name in now if was.get(name) != now[name]]
        if changed:
            raise SettingsError(
                f"the run in {self.path} was begun with another recipe: {', '.join(changed)}",
                hint="give back the old values, or name another folder as out",
            )


def _fixed(recipe: str) -> dict[str, Any]:
    """What of a recipe a run cannot change on its way."""
    given: dict[str, Any] = json.loads(recipe)
    update = {key: value for key, value in given["update"].items() if key != "steps"}
    return {**{k: v for k, v in given.items() if k not in _MAY_CHANGE}, "update": update}
