"""Checkpoints: all that a run needs to go on, written whole or not at all, and no pickle."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from leafward.errors import StoreError
from leafward.models.causal import CausalModel
from leafward.store.files import sync_directory
from leafward.training.policy_file import PolicyFile

OPTIMISER, STATE = "optimiser.safetensors", "state.json"


@dataclass(frozen=True, slots=True)
class State:
    """Where a run stands after ``step`` steps.

    No state of a random generator is kept: every draw is a function of seed and step. ``best`` is
    the highest mean reward of a watch, at ``best_step``; ``waited`` watches came since.
    """

    step: int = 0
    best: float | None = None
    best_step: int = 0
    waited: int = 0

    def watched(self, reward: float | None) -> State:
        """The state after a watch with this mean reward."""
        if reward is not None and (self.best is None or reward > self.best):
            return State(self.step, reward, self.step, 0)
        return State(self.step, self.best, self.best_step, self.waited + 1)


class Checkpoints:
    """The checkpoints of a run, of which the latest and the best are kept."""

    def __init__(self, folder: Path, best: Path) -> None:
        self._folder = folder
        self._best = best

    def save(self, state: State, model: CausalModel, optimiser: Any, policy: PolicyFile) -> None:
        """Write a checkpoint, then let go of those that nobody needs.

        Raises:
            StoreError: the disk is full, or the folder cannot be written to.
        """
        part = self._folder / f".{state.step:06}.part"
        try:
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            model.save(part)
            policy.model_copy(update={"step": state.step}).write(part)
            _save_optimiser(optimiser, part / OPTIMISER)
            (part / STATE).write_text(json.dumps(asdict(state)), encoding="utf-8")
            _flush(part)
            place = self._place(state.step)
            shutil.rmtree(place, ignore_errors=True)
            part.rename(place)
            sync_directory(self._folder)
            self.tidy(state)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise StoreError(
                f"the checkpoint in {self._folder} cannot be written: {error}",
                hint="free some space; --resume goes on from the checkpoint before",
            ) from error

    def latest(self) -> Path | None:
        """The last checkpoint that is whole."""
        found = sorted(path for path in self._folder.glob("[0-9]*") if path.is_dir())
        return found[-1] if found else None

    def restore(self, place: Path, optimiser: Any) -> State:
        """Bring an optimiser to where a checkpoint left it, and tell where the run stands.

        Raises:
            StoreError: the checkpoint is damaged.
        """
        try:
            state = State(**json.loads((place / STATE).read_text(encoding="utf-8")))
            _load_optimiser(optimiser, place / OPTIMISER)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise StoreError(
                f"the checkpoint {place} is damaged: {error}",
                hint="remove this folder, and --resume goes on from the one before",
            ) from error
        self.tidy(state)
        return state

    def tidy(self, state: State) -> None:
        """Bring ``best/`` up to date, and remove other checkpoints; both may be done twice."""
        best = self._place(state.best_step)
        if best.is_dir():
            self._publish(best)
        for path in self._folder.iterdir():
            if path not in (best, self._place(state.step)):
                shutil.rmtree(path, ignore_errors=True)

    def _publish(self, place: Path) -> None:
        """Make ``best/`` of a checkpoint: hard links of its files, without the optimiser's."""
        if _same(place, self._best):
            return
        part = self._best.with_name(".best.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        for path in place.iterdir():
            if path.name not in (OPTIMISER, STATE):
                _link(path, part / path.name)
        shutil.rmtree(self._best, ignore_errors=True)
        part.rename(self._best)
        sync_directory(self._best.parent)

    def _place(self, step: int) -> Path:
        return self._folder / f"{step:06}"


def _save_optimiser(optimiser: Any, path: Path) -> None:
    from safetensors.torch import save_file

    tensors = {
        f"{place}.{name}": tensor.contiguous()
        for place, entry in optimiser.state_dict()["state"].items()
        for name, tensor in entry.items()
    }
    save_file(tensors, path)


def _load_optimiser(optimiser: Any, path: Path) -> None:
    from safetensors.torch import load_file

    state: dict[int, dict[str, Any]] = {}
    for key, tensor in load_file(path).items():
        place, _, name = key.partition(".")
        state.setdefault(int(place), {})[name] = tensor
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})


def _same(place: Path, best: Path) -> bool:
    """Whether ``best`` is made of this checkpoint's files."""
    names = [path.name for path in place.iterdir() if path.name not in (OPTIMISER, STATE)]
    return all((best / n).exists() and (best / n).samefile(place / n) for n in names)


def _link(path: Path, target: Path) -> None:
    try:
        target.hardlink_to(path)
    except OSError:  # not on every file system
        shutil.copy2(path, target)


def _flush(folder: Path) -> None:
    for path in _files(folder):
        with path.open("rb") as file:
            os.fsync(file.fileno())
    sync_directory(folder)


def _files(folder: Path) -> Iterable[Path]:
    return (path for path in folder.iterdir() if path.is_file())
