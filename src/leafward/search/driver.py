"""Drivers: connect a traversal to a judge, for one query or many, without needless waiting."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from leafward.errors import BudgetExceeded, ModelError, ModelRejected
from leafward.protocols import Judge
from leafward.search.report import hits
from leafward.search.traversal import Traversal
from leafward.settings import SearchSettings
from leafward.types import (
    NO_USAGE,
    Judgement,
    Query,
    SearchResult,
    Slate,
    StopReason,
    Trace,
    Tree,
)

MAX_FAILURES = 4  # in a row; a judge that is down must not cost every call's whole deadline
LIMITS: dict[str, StopReason] = {"calls": "calls", "tokens": "tokens", "money": "money"}


class NodeReader(Protocol):
    """Reads what the algorithm itself never reads."""

    def texts(self, nodes: Sequence[int]) -> list[str]:
        """Description of an inner node, text of a leaf, in order of ``nodes``."""

    def titles(self, leaves: Sequence[int]) -> list[str]:
        """Titles of leaves, in order."""


class Unread:
    """A reader for judges that look at node ids alone (oracle, embedding, replay)."""

    def texts(self, nodes: Sequence[int]) -> list[str]:
        return [""] * len(nodes)

    def titles(self, leaves: Sequence[int]) -> list[str]:
        return [""] * len(leaves)


def fill(slate: Slate, reader: NodeReader) -> Slate:
    """The slate with its candidates' texts."""
    texts = reader.texts([candidate.node for candidate in slate.candidates])
    pairs = zip(slate.candidates, texts, strict=True)
    shown = tuple(dataclasses.replace(candidate, text=text) for candidate, text in pairs)
    return Slate(slate.id, slate.expands, shown)


async def search_one(
    tree: Tree,
    query: Query,
    judge: Judge,
    settings: SearchSettings,
    *,
    reader: NodeReader | None = None,
    live: npt.NDArray[np.bool_] | None = None,
    k: int = 10,
    arrivals: Sequence[int] = (),
    stragglers: set[asyncio.Task[Any]] | None = None,
) -> SearchResult:
    """Search for one query; returns the best so far with the reason for stopping.

    A call that fails for good, a spent budget and a passed deadline end in a result, not in an
    exception; raised is only what no further call could mend: :class:`Interrupted`, a first
    request that the provider rejects as such, and errors that are not the model's.

    Args:
        arrivals: slate ids in the order in which an earlier run of this same search took its
            judgements; they are taken in that order again, so that every prompt is the same.
        stragglers: where calls go that are still in flight at the deadline, until they end; the
            caller awaits them in its own time, so that a paid answer is stored. Without it they
            are awaited here.
    """
    traversal = Traversal(tree, query.text, settings, live=live, k=k)
    run = _Run(traversal, query, judge, reader or Unread(), list(arrivals))
    await leave(await run.until_done(settings.deadline), stragglers)
    return run.result(k)


async def leave(
    late: Collection[asyncio.Task[Any]], stragglers: set[asyncio.Task[Any]] | None
) -> None:
    """Hand over the calls that are still in flight at a deadline, or await them here."""
    if stragglers is None:
        await asyncio.gather(*late, return_exceptions=True)
        return
    for task in late:
        stragglers.add(task)
        task.add_done_callback(partial(_forget, stragglers))


def _forget(stragglers: set[asyncio.Task[Any]], task: asyncio.Task[Any]) -> None:
    """A call that outlived its search has ended; its failure concerns nobody any more."""
    stragglers.discard(task)
    if not task.cancelled():
        task.exception()  # looked at, so that asyncio does not report it as lost


async def search_many(
    tree: Tree,
    queries: Sequence[Query],
    judge: Judge,
    settings: SearchSettings,
    *,
    reader: NodeReader | None = None,
    live: Sequence[npt.NDArray[np.bool_] | None] | None = None,
    k: int = 10,
    in_flight: int = 32,
) -> list[SearchResult]:
    """Search for many queries, at most ``in_flight`` at once, each as :func:`search_one`."""
    gate = asyncio.Semaphore(in_flight)
    masks = live or [None] * len(queries)

    async def one(query: Query, mask: npt.NDArray[np.bool_] | None) -> SearchResult:
        async with gate:
            return await search_one(tree, query, judge, settings, reader=reader, live=mask, k=k)

    return await asyncio.gather(*(one(q, m) for q, m in zip(queries, masks, strict=True)))


async def search_together(
    tree: Tree,
    queries: Sequence[Query],
    judge: Judge,
    settings: SearchSettings,
    *,
    reader: NodeReader | None = None,
    k: int = 10,
) -> list[SearchResult]:
    """Search for many queries with one barrier for all of them, as LATTICE's public code does.

    Every iteration hands out the slates of all queries and waits for the slowest answer. Gives the
    results of :func:`search_many` in lock-step, later; it is what the schedules are measured
    against.
    """
    lockstep = settings.model_copy(update={"schedule": "lockstep"})
    runs = [
        _Run(Traversal(tree, query.text, lockstep, k=k), query, judge, reader or Unread(), [])
        for query in queries
    ]
    for run in runs:
        run.issue()
    while tasks := [task for run in runs for task in run.tasks]:
        await asyncio.wait(tasks)
        for run in runs:
            run.take()
    return [run.result(k) for run in runs]


class _Run:
    """One search in progress."""

    def __init__(
        self,
        traversal: Traversal,
        query: Query,
        judge: Judge,
        reader: NodeReader,
        arrivals: list[int],
    ) -> None:
        self.traversal = traversal
        self.query = query
        self.judge = judge
        self.reader = reader
        self.arrivals = arrivals
        self.usage = NO_USAGE
        self.failures = 0
        self.stop: StopReason | None = None
        self.tasks: dict[asyncio.Task[Judgement], int] = {}

    async def until_done(self, deadline: float | None) -> set[asyncio.Task[Judgement]]:
        """Run to the end; returns the calls that were still in flight at the deadline."""
        try:
            return await self._loop(deadline)
        except BaseException:
            if self.tasks:  # answers that are on their way are paid for: let them be stored
                done, _ = await asyncio.wait(self.tasks)
                for task in done:  # looked at, so that asyncio does not report them as lost
                    if not task.cancelled():
                        task.exception()
            raise

    async def _loop(self, deadline: float | None) -> set[asyncio.Task[Judgement]]:
        loop = asyncio.get_running_loop()
        end = None if deadline is None else loop.time() + deadline
        while not (self.traversal.done or (self.stop and not self.tasks)):
            self.issue()
            left = None if end is None else max(end - loop.time(), 0.0)
            done, _ = await asyncio.wait(
                self.tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                self.stop = "deadline"
                return set(self.tasks)
            self.take()
        return set()

    def issue(self) -> None:
        while self.stop is None and (slate := self.traversal.next_slate()) is not None:
            task = asyncio.ensure_future(self.judge.judge(self.query, fill(slate, self.reader)))
            self.tasks[task] = slate.id

    def take(self) -> None:
        """Take every finished call, in the recorded order as far as there is one."""
        finished = {slate_id: task for task, slate_id in self.tasks.items() if task.done()}
        while finished:
            expected = self._expected()
            slate_id = min(finished) if expected is None else expected
            if slate_id not in finished:
                return
            if expected is not None:
                self.arrivals.pop(0)
            task = finished.pop(slate_id)
            del self.tasks[task]
            self._hand_over(slate_id, task)
            self.issue()  # before the next one is taken: what is shown depends on the order alone

    def _expected(self) -> int | None:
        """The slate whose judgement came next last time, if that can still come true."""
        if self.arrivals and self.arrivals[0] not in self.tasks.values():
            self.arrivals.clear()  # this run has left the recorded one
        return self.arrivals[0] if self.arrivals else None

    def _hand_over(self, slate_id: int, task: asyncio.Task[Judgement]) -> None:
        error = task.exception()
        if error is None:
            self.failures = 0
            self.usage += task.result().usage
            self.traversal.absorb(slate_id, task.result())
        elif isinstance(error, BudgetExceeded):
            self.stop = LIMITS.get(error.limit, "money")
            self.traversal.withdraw(slate_id)
        elif isinstance(error, ModelError) and not self._hopeless(error):
            self.failures += 1
            self.traversal.fail(slate_id)
            if self.failures >= MAX_FAILURES:
                self.stop = "failures"
        else:
            raise error

    def _hopeless(self, error: ModelError) -> bool:
        """A first request that is refused as such (key, model name) will be refused again."""
        return isinstance(error, ModelRejected) and not self.traversal.steps

    def result(self, k: int) -> SearchResult:
        self.traversal.flush()
        stop = self.stop or self.traversal.stop_reason or "exhausted"
        trace = Trace(self.query.text, tuple(self.traversal.steps), stop)
        return SearchResult(
            hits=hits(self.traversal, self.reader.titles, k),
            usage=self.usage,
            stop=stop,
            degraded=self.traversal.degraded,
            trace=trace,
        )
