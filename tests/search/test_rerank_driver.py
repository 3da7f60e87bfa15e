from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from leafward.errors import (
    BudgetExceeded,
    Interrupted,
    LeafwardError,
    ModelRejected,
    ModelUnavailable,
)
from leafward.search.rerank_driver import Reranked, rerank
from leafward.types import Judgement, Query, Slate, Usage

QUERY = Query("q", "what is asked")
Fault = Callable[[int], Exception | None]


class TableJudge:
    """Scores nodes by their number; fails where it is told to."""

    def __init__(self, fault: Fault = lambda call: None, seconds: float = 0.0) -> None:
        self.fault = fault
        self.seconds = seconds
        self.calls = 0
        self.finished = 0

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        self.calls += 1
        error = self.fault(self.calls)
        await asyncio.sleep(self.seconds)
        if error is not None:
            raise error
        self.finished += 1
        nodes = [candidate.node for candidate in slate.candidates]
        reasons = {node: f"call {self.calls}" for node in nodes if node % 2}
        scores = {node: node / 1000 for node in nodes}
        return Judgement(scores, "all of it", reasons, Usage(calls=1, prompt_tokens=10))


async def run(judge: TableJudge, nodes: Sequence[int] = range(50), **more: Any) -> Reranked:
    return await rerank(nodes, QUERY, judge, **more)


async def test_driver_tells_order_usage_and_reasons() -> None:
    judge = TableJudge()
    result = await run(judge)
    assert result.order[:10] == tuple(range(49, 39, -1))
    assert result.usage == Usage(calls=4, prompt_tokens=40)
    assert result.judged == frozenset(range(50))
    assert result.reasons[49] == "call 4"  # the latest: it was read in every window
    assert result.reasons[48] == "all of it"
    assert (result.stop, result.degraded) == ("exhausted", False)


async def test_one_failure_is_made_good() -> None:
    judge = TableJudge(lambda call: ModelUnavailable("down") if call == 2 else None)
    result = await run(judge)
    assert judge.calls == 5
    assert result.order[:10] == tuple(range(49, 39, -1))
    assert result.degraded


async def test_a_judge_that_stays_down_ends_it() -> None:
    judge = TableJudge(lambda call: ModelUnavailable("down"))
    result = await run(judge)
    assert (judge.calls, result.stop, result.degraded) == (4, "failures", True)
    assert result.order == tuple(range(50))


@pytest.mark.parametrize("limit", ["calls", "tokens", "money"])
async def test_a_spent_budget_ends_it_with_what_is_there(limit: str) -> None:
    judge = TableJudge(lambda call: BudgetExceeded("spent", limit=limit) if call > 1 else None)
    result = await run(judge)
    assert (judge.calls, result.stop, result.degraded) == (2, limit, False)
    assert result.order[:30] == tuple(range(30))
    assert result.order[30] == 49


@pytest.mark.parametrize(
    "error", [ModelRejected("bad key"), Interrupted("stop"), LeafwardError("a bug")]
)
async def test_what_no_further_call_could_mend_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        await run(TableJudge(lambda call: error))


async def test_a_rejection_after_an_answer_is_one_of_its_own_request() -> None:
    judge = TableJudge(lambda call: ModelRejected("too long") if call == 2 else None)
    result = await run(judge)
    assert result.stop == "exhausted"


async def test_at_a_deadline_the_call_in_flight_goes_to_the_stragglers() -> None:
    judge = TableJudge(seconds=0.05)
    stragglers: set[asyncio.Task[Any]] = set()
    result = await run(judge, deadline=0.001, stragglers=stragglers)
    assert (result.stop, judge.finished, len(stragglers)) == ("deadline", 0, 1)
    assert result.order == tuple(range(50))
    await asyncio.wait(stragglers)
    assert judge.finished == 1
    assert not stragglers


async def test_without_stragglers_the_call_in_flight_is_awaited() -> None:
    judge = TableJudge(seconds=0.05)
    result = await run(judge, deadline=0.001)
    assert (result.stop, judge.finished) == ("deadline", 1)


async def test_a_cancelled_rerank_lets_the_paid_answer_arrive() -> None:
    judge = TableJudge(seconds=0.05)
    task = asyncio.ensure_future(run(judge))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (judge.calls, judge.finished) == (1, 1)


async def test_failures_that_are_not_in_a_row_do_not_end_it() -> None:
    """Every window fails once: five in all, more than would end it in a row."""
    judge = TableJudge(lambda call: ModelUnavailable("down") if call % 2 else None)
    result = await run(judge, range(60))
    assert (judge.calls, judge.finished, result.stop) == (10, 5, "exhausted")
    assert result.order[:10] == tuple(range(59, 49, -1))
    assert result.degraded


async def test_the_deadline_is_that_of_all_windows_together() -> None:
    """Each call is well within it, the 29 of them are not."""
    judge = TableJudge(seconds=0.1)
    result = await run(judge, range(300), deadline=0.35)
    assert result.stop == "deadline"
    assert 1 <= judge.calls < 29
    assert not result.degraded


async def test_a_judge_is_shown_the_texts() -> None:
    class Texts:
        def texts(self, nodes: Sequence[int]) -> list[str]:
            return [f"text of {node}" for node in nodes]

        def titles(self, leaves: Sequence[int]) -> list[str]:
            raise AssertionError("no judge is shown titles by themselves")

    class Reading(TableJudge):
        async def judge(self, query: Query, slate: Slate) -> Judgement:
            assert all(each.text == f"text of {each.node}" for each in slate.candidates)
            return await super().judge(query, slate)

    judge = Reading()
    assert (await run(judge, reader=Texts())).judged == frozenset(range(50))
    assert judge.finished == 4
