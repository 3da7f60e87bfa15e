from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.errors import (
    BudgetExceeded,
    Interrupted,
    LeafwardError,
    ModelRejected,
    ModelUnavailable,
)
from leafward.search.rerank import SlidingWindows, reach
from leafward.search.rerank_driver import Reranked, rerank
from leafward.types import Judgement, Query, Slate, Usage

QUERY = Query("q", "what is asked")
Fault = Callable[[int], Exception | None]


def spans(windows: SlidingWindows, scores: Mapping[int, float] | None = None) -> list[list[int]]:
    """The candidates of every window, judged by ``scores`` (all alike where there are none)."""
    shown = []
    while (slate := windows.next_slate()) is not None:
        nodes = [candidate.node for candidate in slate.candidates]
        shown.append(nodes)
        windows.absorb(Judgement({node: (scores or {}).get(node, 0.5) for node in nodes}))
    return shown


def test_windows_run_from_the_bottom_to_the_top() -> None:
    windows = SlidingWindows(range(40), window=20, carry=10, top=40)
    assert spans(windows) == [list(range(20, 40)), list(range(10, 30)), list(range(20))]
    assert windows.order == list(range(40))
    assert windows.done
    assert not windows.degraded


def test_the_papers_baseline_takes_29_calls() -> None:
    windows = SlidingWindows(range(1000), window=20, carry=10, top=300)
    assert len(spans(windows)) == 29
    assert reach(29, window=20, carry=10) == 300
    assert len(windows.judged) == 300


def test_the_top_is_read_where_the_length_does_not_fit_the_step() -> None:
    """RankGPT's own loop ends at start 5 here, and never shows documents 0 to 4."""
    windows = SlidingWindows(range(25), window=20, carry=10, top=25)
    assert spans(windows) == [list(range(5, 25)), list(range(15))]


def test_the_best_of_a_window_move_into_the_next() -> None:
    """The last of 50 rises to the top, though no window shows more than 20."""
    windows = SlidingWindows(range(50), window=20, carry=10, top=50)
    shown = spans(windows, {49: 1.0, 37: 0.9})
    assert windows.order[:3] == [49, 37, 0]
    assert all(49 in nodes for nodes in shown)


def test_only_the_top_is_reranked() -> None:
    windows = SlidingWindows(range(30), window=10, carry=5, top=20)
    scores = {node: float(node) for node in range(30)}
    spans(windows, scores)
    assert windows.order[20:] == list(range(20, 30))
    assert windows.judged == set(range(20))


def test_a_short_list_is_one_window() -> None:
    assert spans(SlidingWindows(range(3), window=20, carry=10, top=300)) == [[0, 1, 2]]
    assert spans(SlidingWindows([], window=20, carry=10, top=300)) == []


def test_an_unobserved_candidate_keeps_its_place() -> None:
    windows = SlidingWindows([10, 11, 12, 13], window=4, carry=1, top=4)
    assert windows.next_slate() is not None
    windows.absorb(Judgement({10: 0.1, 12: 0.2, 13: 0.9, 99: 1.0}))
    assert windows.order == [13, 11, 12, 10]
    assert windows.judged == {10, 12, 13}
    assert windows.degraded


def test_a_window_that_fails_is_tried_once_more_and_then_left() -> None:
    windows = SlidingWindows(range(30), window=20, carry=10, top=30)
    first, again = windows.next_slate(), None
    windows.fail()
    again = windows.next_slate()
    assert first is not None
    assert again is not None
    assert first.candidates == again.candidates
    windows.fail()
    last = windows.next_slate()
    assert last is not None
    assert [candidate.node for candidate in last.candidates] == list(range(20))
    assert windows.order == list(range(30))
    assert windows.degraded


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[int], int, int, int]:
    nodes = draw(st.permutations(range(draw(st.integers(0, 60)))))
    window = draw(st.integers(2, 25))
    return list(nodes), window, draw(st.integers(1, window - 1)), draw(st.integers(1, 70))


@given(cases(), st.integers(0, 5))
def test_every_document_of_the_top_is_read_and_none_is_lost(
    case: tuple[list[int], int, int, int], seed: int
) -> None:
    nodes, window, carry, top = case
    scores = {node: random.Random(f"{seed} {node}").random() for node in nodes}
    windows = SlidingWindows(nodes, window=window, carry=carry, top=top)
    shown = spans(windows, scores)
    assert sorted(windows.order) == sorted(nodes)
    assert windows.judged == set(nodes[:top])
    assert all(len(each) <= window for each in shown)
    depth = min(top, len(nodes))
    if depth > window:
        assert reach(len(shown), window=window, carry=carry) >= depth
        assert reach(len(shown) - 1, window=window, carry=carry) < depth
    # With a consistent judge the best `carry` of all are on top, in order: none can be held back.
    best = sorted(nodes[:top], key=lambda node: -scores[node])
    assert windows.order[: min(carry, depth)] == best[:carry]


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
