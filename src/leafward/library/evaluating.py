"""Evaluating one method over an open index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leafward.evaluate import (
    DEFAULT_MEASURES,
    Comparison,
    Measures,
    Summary,
    compare,
    evaluate,
    read_collection,
    summarise,
)
from leafward.evaluate.limiting import limited
from leafward.evaluate.method import Method, parse_method
from leafward.evaluate.running import DEPTH
from leafward.library.index import Index
from leafward.library.views import count_absent, index_key
from leafward.models import Stop
from leafward.protocols import Progress
from leafward.settings import SearchSettings
from leafward.types import Collection, Outcome, Ranking


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a method achieved, and how it stands to a baseline where there is one.

    ``comparisons`` are by measure. ``absent`` counts documents that are judged relevant but that
    the index does not hold: no method can find them.
    """

    summary: Summary
    outcomes: tuple[Outcome, ...]
    absent: int
    baseline: Summary | None
    comparisons: Mapping[str, Comparison]

    @property
    def rankings(self) -> dict[str, Ranking]:
        """Rankings by query id, where there is one."""
        return {o.query_id: o.ranking for o in self.outcomes if o.ranking is not None}


async def aevaluate_method(
    index: Index,
    data: str | Path | Collection,
    method: str | Method = "tree",
    *,
    split: str = "test",
    variant: str = "",
    limit: int | None = None,
    k: int = DEPTH,
    measures: Sequence[str] = DEFAULT_MEASURES,
    baseline: str | Method | None = None,
    search: SearchSettings | None = None,
    concurrency: int = 8,
    journal: Path | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Evaluation:
    """Async twin of :func:`evaluate_method`."""
    chosen = Measures(measures)  # a wrong name is noticed before anything is spent
    named = _parsed(method)
    against = None if baseline is None else _parsed(baseline)
    settings = search or index.search_settings
    collection = (
        data
        if isinstance(data, Collection)
        else read_collection(data, split=split, variant=variant, documents=False)
    )
    collection = limited(collection, limit)

    async def run(each: Method, kept: Path | None) -> tuple[Outcome, ...]:
        return await evaluate(
            index.retriever(each, search=settings),
            collection,
            k=k,
            concurrency=concurrency,
            method=str(each),
            key=index_key(index, settings),
            journal=kept,
            progress=progress,
            stop=None if stop is None else (lambda: stop.is_set),
        )

    # The baseline first: it is cheap as a rule, and what is wrong with the data shows there.
    base = None if against is None else await run(against, None)
    outcomes = await run(named, journal)
    return _evaluation(index, collection, chosen, (named, outcomes), (against, base), settings.seed)


def evaluate_method(
    index: Index,
    data: str | Path | Collection,
    method: str | Method = "tree",
    *,
    split: str = "test",
    variant: str = "",
    limit: int | None = None,
    k: int = DEPTH,
    measures: Sequence[str] = DEFAULT_MEASURES,
    baseline: str | Method | None = None,
    search: SearchSettings | None = None,
    concurrency: int = 8,
    journal: Path | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Evaluation:
    """Ask an index every query of a test collection, and score what it finds.

    Args:
        data: what :func:`leafward.evaluate.read_collection` reads, or a collection.
        method: such as ``tree``, ``hybrid`` or ``rerank(of=bm25, top=100)``.
        split, variant: see :func:`leafward.evaluate.read_collection`.
        limit: draw that many queries; always the same ones, which a larger limit adds to.
        k: documents asked for per query.
        measures: by their ir-measures names.
        baseline: another method to compare with, query by query.
        search: settings of judges and trees; its seed is that of intervals and tests as well.
        journal: a file that keeps every finished query, so that the same call goes on from it.
        stop: set it from elsewhere to end after the calls in flight.

    Raises:
        CorpusError, SettingsError, MethodError: data, measures or method are wrong.
        BudgetExceeded, Interrupted: before the end; with a journal the same call goes on.
        ModelRejected: the provider refuses the first request (key, model name).
    """
    return index.call(
        lambda: aevaluate_method(
            index,
            data,
            method,
            split=split,
            variant=variant,
            limit=limit,
            k=k,
            measures=measures,
            baseline=baseline,
            search=search,
            concurrency=concurrency,
            journal=journal,
            progress=progress,
            stop=stop,
        )
    )


def _evaluation(
    index: Index,
    collection: Collection,
    measures: Measures,
    run: tuple[Method, tuple[Outcome, ...]],
    base: tuple[Method | None, tuple[Outcome, ...] | None],
    seed: int,
) -> Evaluation:
    summary = summarise(run[1], collection, measures, seed=seed, method=str(run[0]))
    if base[1] is None:
        return Evaluation(summary, run[1], count_absent(index, collection), None, {})
    against = summarise(base[1], collection, measures, seed=seed, method=str(base[0]))
    comparisons = {
        name: compare(against.per_query[name], {str(run[0]): summary.per_query[name]}, seed=seed)[0]
        for name in measures.names
        if summary.per_query[name] and against.per_query[name]
    }
    return Evaluation(summary, run[1], count_absent(index, collection), against, comparisons)


def _parsed(method: str | Method) -> Method:
    return parse_method(method) if isinstance(method, str) else method
