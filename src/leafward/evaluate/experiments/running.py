"""Running an experiment: every method with every seed, resumably, within what it may spend."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from leafward.errors import BudgetExceeded
from leafward.evaluate.experiments.folder import Folder
from leafward.evaluate.experiments.results import Run, SearchView
from leafward.evaluate.experiments.spec import ExperimentSpec, MethodSpec
from leafward.evaluate.journal import read_journal
from leafward.evaluate.running import STAGE, evaluate
from leafward.models import Budget, within
from leafward.protocols import Progress, Retriever
from leafward.settings import BudgetSettings
from leafward.types import NO_USAGE, Collection, Outcome, Usage


@dataclass(frozen=True, slots=True)
class Ready:
    """A method that is ready to be asked.

    ``key`` stands for everything beside the method that decides its rankings; ``view`` is there
    where its traces can be replayed.
    """

    retriever: Retriever
    key: str
    view: SearchView | None = None


class Opener(Protocol):
    """Opens methods; what it opened is closed with the context."""

    def seeded(self, method: MethodSpec) -> bool:
        """Whether a seed makes any difference to the method."""

    def open(self, method: MethodSpec, seed: int) -> AbstractAsyncContextManager[Ready]: ...


class Experimenter:
    """Runs one experiment into one folder.

    Args:
        already: what else was spent of the experiment's budget, such as on building its index.
        stop: asked before every query; where it says yes the run ends in ``Interrupted``.
    """

    def __init__(
        self,
        spec: ExperimentSpec,
        collection: Collection,
        folder: Folder,
        opener: Opener,
        *,
        progress: Progress,
        already: Usage = NO_USAGE,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self._spec = spec
        self._collection = collection
        self._folder = folder
        self._opener = opener
        self._progress = progress
        self._already = already
        self._stop = stop

    async def run(self) -> tuple[Run, ...]:
        """Every method with every seed; one whose budget is spent keeps what it has.

        Raises:
            Interrupted, ModelError, SettingsError, StoreError: run it again to go on.
        """
        jobs = [
            (label, method, seed)
            for label, method in self._spec.methods.items()
            for seed in self._seeds(method)
        ]
        spent = {
            (label, seed): _spent(self._folder.journal(label, seed)) for label, _, seed in jobs
        }
        whole = Budget(left(self._spec.budget, sum(spent.values(), self._already)))
        own = {
            label: Budget(left(method.budget, _of(label, spent)))
            for label, method in self._spec.methods.items()
        }
        runs = []
        with within(whole):
            for label, method, seed in jobs:
                with within(own[label]):
                    runs.append(await self._one(label, method, seed))
        return tuple(runs)

    def _seeds(self, method: MethodSpec) -> tuple[int, ...]:
        seeds = method.seeds or self._spec.seeds
        return seeds if self._opener.seeded(method) else seeds[:1]

    async def _one(self, label: str, method: MethodSpec, seed: int) -> Run:
        journal = self._folder.journal(label, seed)
        async with self._opener.open(method, seed) as ready:
            run = Run(label, method.method, seed, (), ready.view)
            try:
                outcomes = await evaluate(
                    ready.retriever,
                    self._collection,
                    k=self._spec.k,
                    concurrency=self._spec.concurrency,
                    method=method.method,
                    key=ready.key,
                    journal=journal,
                    traces=ready.view is not None,
                    progress=_Named(self._progress, f"{label}, seed {seed}"),
                    stop=self._stop,
                )
            except BudgetExceeded as error:
                return replace(run, outcomes=self._kept(journal), stopped=error.message)
            return replace(run, outcomes=outcomes)

    def _kept(self, journal: Path) -> tuple[Outcome, ...]:
        """What was finished before the budget ended, in the order of the queries."""
        found = {outcome.query_id: outcome for outcome in read_journal(journal)[1]}
        return tuple(found[query.id] for query in self._collection.queries if query.id in found)


def left(budget: BudgetSettings, spent: Usage) -> BudgetSettings:
    """What is left of a budget; nothing, where more has been spent."""

    def rest(limit: float | None, used: float | None) -> float | None:
        return None if limit is None else max(limit - (used or 0), 0)

    return BudgetSettings.model_validate(
        {
            "calls": rest(budget.calls, spent.calls),
            "tokens": rest(budget.tokens, spent.tokens),
            "money": rest(budget.money, spent.money),
        }
    )


def _spent(journal: Path) -> Usage:
    """What earlier runs of the experiment have spent on the queries that they finished."""
    if not _begun(journal):
        return NO_USAGE
    outcomes = read_journal(journal)[1]
    return sum((o.ranking.usage for o in outcomes if o.ranking is not None), NO_USAGE)


def _begun(journal: Path) -> bool:
    """Whether there is a journal with a whole first line: a kill may have cut it off."""
    try:
        with journal.open("rb") as file:
            return file.readline().endswith(b"\n")
    except FileNotFoundError:
        return False


def _of(label: str, spent: dict[tuple[str, int], Usage]) -> Usage:
    return sum((usage for (owner, _), usage in spent.items() if owner == label), NO_USAGE)


class _Named:
    """Progress under the name of a method instead of the harness's own."""

    def __init__(self, inner: Progress, name: str) -> None:
        self._inner = inner
        self._name = name

    def start(self, stage: str, total: int | None = None) -> None:
        self._inner.start(self._stage(stage), total)

    def advance(self, stage: str, count: int = 1) -> None:
        self._inner.advance(self._stage(stage), count)

    def finish(self, stage: str) -> None:
        self._inner.finish(self._stage(stage))

    def _stage(self, stage: str) -> str:
        return self._name if stage == STAGE else f"{self._name}: {stage}"
