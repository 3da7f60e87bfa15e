"""Driver of sliding windows: connects them to a judge, as the tree's driver does a traversal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leafward.concurrency import wait_drained
from leafward.errors import BudgetExceeded, ModelError, ModelRejected
from leafward.protocols import Judge
from leafward.search.driver import LIMITS, MAX_FAILURES, NodeReader, Unread, fill, leave
from leafward.search.rerank import SlidingWindows
from leafward.types import NO_USAGE, Judgement, Query, Slate, StopReason, Usage


@dataclass(frozen=True, slots=True)
class Reranked:
    """Leaf ids, best first, with what it took; ``reasons`` are each document's latest."""

    order: tuple[int, ...]
    judged: frozenset[int]
    reasons: dict[int, str]
    usage: Usage
    stop: StopReason
    degraded: bool


async def rerank(
    nodes: Sequence[int],
    query: Query,
    judge: Judge,
    *,
    window: int = 20,
    carry: int = 10,
    top: int = 300,
    reader: NodeReader | None = None,
    deadline: float | None = None,
    stragglers: set[asyncio.Task[Any]] | None = None,
) -> Reranked:
    """Rerank leaf ids, best first; windows depend on each other, so calls follow one another.

    A call that fails for good, a spent budget and a passed deadline end in a result, not in an
    exception, with the order so far; raised is what :func:`leafward.search.search_one` raises.

    Args:
        deadline: seconds.
        stragglers: where a call goes that is still in flight at the deadline; without it, it is
            awaited here.
    """
    run = _Run(SlidingWindows(nodes, window=window, carry=carry, top=top), query, judge)
    await run.until_done(reader or Unread(), deadline, stragglers)
    return run.result()


class _Run:
    def __init__(self, windows: SlidingWindows, query: Query, judge: Judge) -> None:
        self.windows = windows
        self.query = query
        self.judge = judge
        self.usage = NO_USAGE
        self.reasons: dict[int, str] = {}
        self.failures = 0
        self.answered = False
        self.stop: StopReason | None = None

    async def until_done(
        self,
        reader: NodeReader,
        deadline: float | None,
        stragglers: set[asyncio.Task[Any]] | None,
    ) -> None:
        loop = asyncio.get_running_loop()
        end = None if deadline is None else loop.time() + deadline
        while self.stop is None and (slate := self.windows.next_slate()) is not None:
            task = asyncio.ensure_future(self.judge.judge(self.query, fill(slate, reader)))
            left = None if end is None else max(end - loop.time(), 0.0)
            if await wait_drained(task, seconds=left):
                self._take(slate, task)
            else:
                self.stop = "deadline"
                await leave([task], stragglers)

    def _take(self, slate: Slate, task: asyncio.Task[Judgement]) -> None:
        error = task.exception()
        if error is None:
            self._absorb(slate, task.result())
        elif isinstance(error, BudgetExceeded):
            self.stop = LIMITS.get(error.limit, "money")
        elif isinstance(error, ModelError) and not self._hopeless(error):
            self.failures += 1
            self.windows.fail()
            if self.failures >= MAX_FAILURES:
                self.stop = "failures"
        else:
            raise error

    def _absorb(self, slate: Slate, judgement: Judgement) -> None:
        self.failures = 0
        self.answered = True
        self.usage += judgement.usage
        self.windows.absorb(judgement)
        reasons = judgement.reasons or {}
        for candidate in slate.candidates:
            if candidate.node in judgement.scores:
                self.reasons[candidate.node] = (
                    reasons.get(candidate.node, "") or judgement.reasoning
                )

    def _hopeless(self, error: ModelError) -> bool:
        """A first request that is refused as such (key, model name) will be refused again."""
        return isinstance(error, ModelRejected) and not self.answered and not self.failures

    def result(self) -> Reranked:
        return Reranked(
            order=tuple(self.windows.order),
            judged=frozenset(self.windows.judged),
            reasons=self.reasons,
            usage=self.usage,
            stop=self.stop or "exhausted",
            degraded=self.windows.degraded,
        )
