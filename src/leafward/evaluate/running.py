"""Putting a collection's queries to a retriever, many at once, never one twice."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from leafward.concurrency import map_drained
from leafward.errors import (
    EngineUnavailable,
    Interrupted,
    ModelError,
    ModelRejected,
    QuerySyntaxError,
    SettingsError,
)
from leafward.evaluate.journal import Journal
from leafward.evaluate.journal_lines import Header
from leafward.evaluate.order import trec_order
from leafward.protocols import Progress, Retriever, Silent
from leafward.types import Collection, Outcome, Query, Ranking

STAGE = "evaluate"
DEPTH = 1000
"""Documents asked for, so that R@1000 means something."""


async def evaluate(
    retriever: Retriever,
    collection: Collection,
    *,
    k: int = DEPTH,
    concurrency: int = 8,
    method: str = "",
    key: str = "",
    journal: Path | None = None,
    traces: bool = False,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    on_outcome: Callable[[Outcome], None] | None = None,
) -> tuple[Outcome, ...]:
    """Rank the documents for every query of a collection; outcomes in the order of its queries.

    A failure of ours (engine, model) loses its query and is counted; an expression that the engine
    cannot parse is the method's fault and an empty ranking.

    Args:
        concurrency: queries in flight.
        method: canonical name of the method; with ``key`` it tells journals apart.
        key: whatever else decides a ranking: index, models, settings, seed.
        journal: a file that is told of every outcome before the next query begins; queries that
            have a ranking in it are not asked again. Another ``limit`` of the same collection may
            go on with it.
        traces: keep the traces of tree searches in outcomes and journal.
        stop: asked before every query; where it says yes no further one begins.
        on_outcome: told of every outcome, those from the journal first.

    Raises:
        BudgetExceeded, Interrupted: after what was in flight has ended; the journal has it all.
        ModelRejected: the provider refuses the very first request as such (key, model name).
        SettingsError, StoreError: the journal is of something else, damaged or in use.
        LeafwardError: a ranking that cannot be scored: a document twice, a score that is no number.
    """
    if k < 1 or concurrency < 1:
        raise SettingsError(
            f"k is {k} and concurrency is {concurrency}", hint="both have to be at least 1"
        )
    header = Header(method, collection.name, collection.split, k, traces, key)
    with nullcontext() if journal is None else Journal(journal, header) as opened:
        work = _Work(retriever, k, traces, opened, progress or Silent(), stop, on_outcome)
        return await work.run(collection.queries, concurrency)


class _Work:
    """One evaluation under way."""

    def __init__(
        self,
        retriever: Retriever,
        k: int,
        traces: bool,
        journal: Journal | None,
        progress: Progress,
        stop: Callable[[], bool] | None,
        on_outcome: Callable[[Outcome], None] | None,
    ) -> None:
        self._retriever = retriever
        self._k = k
        self._traces = traces
        self._journal = journal
        self._progress = progress
        self._stop = stop
        self._on_outcome = on_outcome
        self._outcomes: dict[str, Outcome] = {}

    async def run(self, queries: tuple[Query, ...], concurrency: int) -> tuple[Outcome, ...]:
        self._progress.start(STAGE, len(queries))
        for outcome in (self._journal.finished(queries) if self._journal else {}).values():
            self._note(outcome)
        waiting = [query for query in queries if query.id not in self._outcomes]
        await map_drained(self._one, waiting, limit=concurrency)
        self._progress.finish(STAGE)
        return tuple(self._outcomes[query.id] for query in queries)

    async def _one(self, query: Query) -> None:
        if self._stop is not None and self._stop():
            raise Interrupted(
                "stopped before the next query",
                hint="what is finished is in the journal; run the same command again to go on",
            )
        outcome = await self._outcome(query)
        if self._journal is not None:
            self._journal.append(query, outcome)
        self._note(outcome)

    def _note(self, outcome: Outcome) -> None:
        self._outcomes[outcome.query_id] = outcome
        self._progress.advance(STAGE)
        if self._on_outcome is not None:
            self._on_outcome(outcome)

    async def _outcome(self, query: Query) -> Outcome:
        start = time.perf_counter()
        ranking: Ranking | None = None
        error = ""
        try:
            ranking = self._kept(query, await self._retriever.retrieve(query, k=self._k))
        except QuerySyntaxError as wrong:
            ranking, error = Ranking((), query.id), _told(wrong)
        except (EngineUnavailable, ModelError) as failure:
            if self._hopeless(failure):
                raise
            error = _told(failure)
        return Outcome(query.id, ranking, time.perf_counter() - start, error)

    def _kept(self, query: Query, ranking: Ranking) -> Ranking:
        trec_order(query.id, ranking)  # refuses what cannot be scored before it is written down
        trace = ranking.trace if self._traces else None
        return dataclasses.replace(ranking, query_id=query.id, trace=trace)

    def _hopeless(self, failure: Exception) -> bool:
        """A first request that is refused as such (key, model name) will be refused again."""
        refused = isinstance(failure, ModelRejected) and not failure.of_request
        return refused and not any(outcome.ranking for outcome in self._outcomes.values())


def _told(error: EngineUnavailable | ModelError | QuerySyntaxError) -> str:
    return f"{type(error).__name__}: {error.message}"
