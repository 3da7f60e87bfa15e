"""Running an experiment file: the index, every method, and what is written about them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from leafward.errors import IndexNotFound
from leafward.evaluate import Comparison, Measures, read_collection
from leafward.evaluate.experiments.facts import Facts
from leafward.evaluate.experiments.folder import Folder
from leafward.evaluate.experiments.results import ExperimentResult, collected
from leafward.evaluate.experiments.running import Experimenter, Ready
from leafward.evaluate.experiments.spec import ExperimentSpec, MethodSpec, read_experiment
from leafward.evaluate.experiments.writing import write_results
from leafward.evaluate.limiting import limited
from leafward.evaluate.method import parse_method
from leafward.library.costing import calls_per_query
from leafward.library.index import Index
from leafward.library.opening import abuild, open_index
from leafward.library.portal import Portal
from leafward.library.views import count_absent, index_key, search_view, searches_trees
from leafward.models import Stop, counting
from leafward.protocols import Progress, Silent
from leafward.settings import BudgetSettings, Settings
from leafward.types import NO_USAGE, Collection, Usage


@dataclass(frozen=True, slots=True)
class ExperimentReport:
    """What an experiment found, where it is written, and what this run of it has spent."""

    spec: ExperimentSpec
    result: ExperimentResult
    folder: Path
    report: Path
    usage: Usage

    @property
    def comparisons(self) -> Mapping[str, Comparison]:
        """Comparisons with the baseline on the first measure, by method; empty without one."""
        versus = self.result.versus
        return {} if versus is None else {each.name: each for each in versus.comparisons}


async def arun_experiment(
    experiment: str | Path | ExperimentSpec,
    *,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> ExperimentReport:
    """Async twin of :func:`run_experiment`."""
    spec = experiment if isinstance(experiment, ExperimentSpec) else read_experiment(experiment)
    measures = Measures(spec.measures)  # a wrong name is noticed before anything is spent
    settings = experiment_settings(spec)
    stop, progress = stop or Stop(), progress or Silent()
    folder = Folder(spec.folder)
    with counting() as used:
        collection, index = await _ready(spec, settings, progress, stop)
        async with index:
            opener = _Opener(spec, settings, stop)
            runs = await Experimenter(
                spec,
                collection,
                folder,
                opener,
                progress=progress,
                already=_build_usage(spec, index),
                stop=lambda: stop.is_set,
            ).run()
            facts = _facts(spec, settings, index, collection)
    result = collected(runs, collection, measures, baseline=spec.baseline)
    write_results(folder, result, facts)
    return ExperimentReport(spec, result, folder.path, folder.report, used.total)


def run_experiment(
    experiment: str | Path | ExperimentSpec,
    *,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> ExperimentReport:
    """Run an experiment and write its runs, table, figures and report.

    Run again after any failure it goes on where it stopped: finished queries are in its journals,
    and every model answer is in the index. A method whose budget is spent keeps the queries that it
    has finished, and the report says so.

    Args:
        experiment: a TOML file (docs/evaluation.md), or what was read from one.
        stop: set it from elsewhere to end after the calls in flight (Ctrl-C does).

    Raises:
        SettingsError, CorpusError: the experiment cannot be run as it is.
        Interrupted, ModelError, IndexBusy: run it again to go on.
    """
    stop = stop or Stop()
    portal = Portal(on_interrupt=stop.set)
    try:
        return portal.call(lambda: arun_experiment(experiment, progress=progress, stop=stop))
    finally:
        portal.close()


def experiment_settings(spec: ExperimentSpec) -> Settings:
    """Settings of the experiment; what it leaves open comes from variables and leafward.toml.

    Their budget is that of the whole experiment.
    """
    given: dict[str, object] = {
        name: getattr(spec, name).model_dump(exclude_unset=True)
        for name in ("build", "search", "models", "budget")
        if name in spec.model_fields_set
    }
    named = {"model": spec.model, "embedder": spec.embedder}
    return Settings.model_validate(given | {k: v for k, v in named.items() if v is not None})


def most_calls(spec: ExperimentSpec, settings: Settings, queries: int) -> int:
    """About how many calls all methods make together; building the index comes on top."""
    total = 0
    for method in spec.methods.values():
        parsed = parse_method(method.method)
        calls = calls_per_query(parsed, settings.search, method.model or settings.model)
        seeds = method.seeds or spec.seeds
        total += calls * queries * (len(seeds) if searches_trees(parsed) else 1)
    return total


async def _ready(
    spec: ExperimentSpec, settings: Settings, progress: Progress, stop: Stop
) -> tuple[Collection, Index]:
    """The collection, and an open index of it; built where there is none."""
    try:
        index = open_index(spec.index_path, settings=settings, stop=stop)
    except IndexNotFound:
        collection = _collection(spec, documents=True)
        index = await abuild(
            collection.documents,
            spec.index_path,
            settings=settings,
            probe=False,
            progress=progress,
            stop=stop,
        )
        return limited(collection, spec.limit), index
    return limited(_collection(spec, documents=False), spec.limit), index


def _collection(spec: ExperimentSpec, *, documents: bool) -> Collection:
    return read_collection(spec.data, split=spec.split, variant=spec.variant, documents=documents)


def _build_usage(spec: ExperimentSpec, index: Index) -> Usage:
    """What the experiment has spent on its index; one from elsewhere was paid elsewhere."""
    return index.build_report.usage if spec.own_index else NO_USAGE


def _facts(spec: ExperimentSpec, settings: Settings, index: Index, collection: Collection) -> Facts:
    return Facts.of(
        spec,
        index.tree,
        model=settings.model,
        embedder=index.meta.embedder,
        strategy=index.meta.strategy,
        absent=count_absent(index, collection),
        texts={query.id: query.text for query in collection.queries},
    )


class _Opener:
    """Opens the experiment's index once more for each method, with its model and seed."""

    def __init__(self, spec: ExperimentSpec, settings: Settings, stop: Stop) -> None:
        self._spec = spec
        self._settings = settings
        self._stop = stop

    def seeded(self, method: MethodSpec) -> bool:
        return searches_trees(parse_method(method.method))

    @asynccontextmanager
    async def open(self, method: MethodSpec, seed: int) -> AsyncIterator[Ready]:
        search = self._settings.search.model_copy(update={"seed": seed})
        # The budget is kept by whoever runs the methods: it is one for all of them.
        settings = self._settings.model_copy(update={"search": search, "budget": BudgetSettings()})
        index = open_index(
            self._spec.index_path, model=method.model, settings=settings, stop=self._stop
        )
        async with index:
            parsed = parse_method(method.method)
            yield Ready(
                index.retriever(parsed),
                index_key(index, search),
                search_view(parsed, index, search, self._spec.k),
            )
