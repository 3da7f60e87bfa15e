"""From a recipe to a policy and a report."""

from __future__ import annotations

import logging
import platform
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.errors import SettingsError
from leafward.evaluate.files import write_lines
from leafward.library.training.comparing import Comparing, Opened
from leafward.library.training.others import opener
from leafward.library.training.setting import Setting
from leafward.models import Stop
from leafward.protocols import Progress, Silent
from leafward.settings import Settings
from leafward.training.answers import Method
from leafward.training.curves import Curve
from leafward.training.folder import RunFolder
from leafward.training.policy_file import read_policy_file
from leafward.training.recipe import Recipe
from leafward.training.report import Compared, report
from leafward.training.sharing import shared

if TYPE_CHECKING:
    from leafward.models.causal import CausalModel

_log = logging.getLogger(__name__)
_PACKAGES = ("leafward", "torch", "transformers", "trl", "tantivy")


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What came of a run: its folder with ``report.md``, the policy in ``best``, and what each
    method of the comparison is worth."""

    name: str
    out: Path
    best: Path
    report: Path
    steps: int
    best_step: int
    methods: tuple[Method, ...]


def train_recipe(
    recipe: Recipe,
    *,
    settings: Settings | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> TrainingReport:
    """Train what a recipe says, compare the policy with what was before it, and write the report.

    Killed or interrupted, it goes on with ``resume`` where it stopped, in the comparison too.

    Raises:
        SettingsError: verl trains with its own command (see ``--dry-run``), or the recipe does not
            fit what is there.
        MissingExtra: torch, transformers or trl is not installed.
        Interrupted: the user asked to stop.
        LeafwardError: what opening the engine, reading the needs and judging raise.
    """
    if recipe.trainer == "verl":
        raise SettingsError(
            "verl trains in an environment of its own, with a command of its own",
            hint="--dry-run writes its data and configuration, and prints the command",
        )
    with ExitStack() as closing:
        lock = RunFolder(recipe.out).begin(recipe, resume=resume)
        closing.callback(lock.close)
        run = _Run(
            recipe,
            settings or Settings(),
            closing.enter_context(Setting(recipe, settings or Settings())),
            progress or Silent(),
            stop or Stop(),
        )
        run.train()
        return run.compare()


@dataclass(frozen=True, slots=True)
class _Run:
    """A run whose folder is ours and whose engine is open."""

    recipe: Recipe
    settings: Settings
    setting: Setting
    progress: Progress
    stop: Stop

    @property
    def folder(self) -> RunFolder:
        return RunFolder(self.recipe.out)

    def load(self, place: Path | None) -> CausalModel:
        """A checkpoint, or the model that the recipe starts from."""
        from leafward.models.causal import load_causal

        return load_causal(
            self.recipe.model if place is None else str(place),
            cache_dir=self.settings.cache_dir,
            offline=self.settings.offline,
            device=self.recipe.device,
            threads=self.recipe.threads,
        )

    def train(self) -> None:
        """Train with the recipe's trainer, after a cold start where it wants one."""
        if self.recipe.trainer == "trl":
            from leafward.library.training.with_trl import train_with_trl

            train_with_trl(self.recipe, self.setting, self.load, self.progress)
            return
        from leafward.library.training.plainly import train_plainly

        train_plainly(self.recipe, self.setting, self.load, self.progress, self.stop)

    def compare(self) -> TrainingReport:
        """Ask every method of the comparison, and write the report as each is done."""
        methods: list[Method] = []
        with ExitStack() as closing:
            chat = opener(self.setting, self.settings, closing, self.stop)
            for method in self._methods(chat):
                methods.append(method)
                self._write(methods)
        steps = Curve(self.folder.steps).last()
        policy = read_policy_file(self.folder.best)
        return TrainingReport(
            name=self.recipe.name,
            out=self.folder.path,
            best=self.folder.best,
            report=self.folder.report,
            steps=0 if steps is None else steps["step"],
            best_step=0 if policy is None else policy.step,
            methods=tuple(methods),
        )

    def _methods(self, chat: Opened) -> Iterator[Method]:
        comparing = Comparing(self.setting, self.load, chat, self.progress, self.stop)
        yield from comparing.free()
        yield from comparing.start()
        yield comparing.trained(self.folder.best)
        yield from comparing.others()

    def _write(self, methods: list[Method]) -> None:
        needs = {need.id: need for need in self.setting.needs.compared}
        compared = Compared(
            self.recipe.name,
            needs,
            methods,
            self.recipe.compare.cutoff or self.recipe.reward,
            self._facts(),
            shared(self.recipe),
        )
        write_lines(self.folder.report, report(compared))

    def _facts(self) -> dict[str, str]:
        rows = list(Curve(self.folder.steps))
        seconds = sum(row["sampling_seconds"] + row["update_seconds"] for row in rows)
        policy = read_policy_file(self.folder.best)
        needs = self.setting.needs
        return {
            "trainer": self.recipe.trainer,
            "steps": f"{len(rows)}; the policy is that of step {policy.step if policy else 0}",
            "needs": f"{len(needs.train):,} trained on, {len(needs.watched):,} held out to choose "
            f"the step, {len(needs.compared):,} compared on",
            "time": f"{seconds / 3600:.2f} hours of drawing and updating"
            + (f", {seconds / len(rows):.1f} s a step" if rows else ""),
            "machine": f"{platform.system()} {platform.machine()}",
            "versions": ", ".join(_versions()),
        }


def _versions() -> Iterator[str]:
    for name in _PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
