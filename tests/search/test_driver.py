from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest
from tests.search.trees import grid_tree

from leafward.errors import BudgetExceeded, Interrupted, ModelRejected, ModelUnavailable
from leafward.search import ReplayJudge, search_many, search_one, search_together
from leafward.settings import SearchSettings
from leafward.types import Judgement, Query, Slate, Usage

TREE = grid_tree(6, 3)
QUERY = Query("q", "what is asked")
ONE_CALL = Usage(calls=1, prompt_tokens=100, completion_tokens=10, money=0.01)


class TableJudge:
    """Scores by a fixed table after a random delay; fails where it is told to."""

    def __init__(
        self, seed: int = 0, fault: Callable[[int], Exception | None] | None = None
    ) -> None:
        self.random = random.Random(seed)
        self.fault = fault or (lambda call: None)
        self.calls: list[tuple[int, ...]] = []
        self.finished = 0

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        self.calls.append(tuple(c.node for c in slate.candidates))
        error = self.fault(len(self.calls))
        await asyncio.sleep(self.random.random() * 0.002)
        if error is not None:
            raise error
        self.finished += 1
        scores = {c.node: random.Random(c.node).random() for c in slate.candidates}
        return Judgement(scores, "because", usage=ONE_CALL)


async def test_result_explains_itself() -> None:
    judge = TableJudge()
    result = await search_one(TREE, QUERY, judge, SearchSettings(), k=5)
    assert len(result) == 5
    assert result.usage.calls == len(judge.calls) == 40
    assert result.stop == "expansions"
    assert not result.degraded
    scores = [hit.score for hit in result]
    assert scores == sorted(scores, reverse=True)
    for hit in result:
        leaf = TREE.leaf_id(TREE.position_of(hit.doc_id))
        assert [step.node for step in hit.path] == list(TREE.path(leaf))[:-1]
        assert hit.path[0].relevance == 1.0
        assert hit.reasons == ("because",) * 3
        assert len(hit.raw) >= 1


async def test_recorded_arrivals_make_the_same_prompts_under_other_latencies() -> None:
    first_judge = TableJudge(seed=1)
    first = await search_one(TREE, QUERY, first_judge, SearchSettings(beam=4))
    assert first.trace is not None
    arrivals = [step.slate.id for step in first.trace.steps]
    for seed in (2, 3):
        judge = TableJudge(seed=seed)
        again = await search_one(TREE, QUERY, judge, SearchSettings(beam=4), arrivals=arrivals)
        assert set(judge.calls) == set(first_judge.calls)
        assert again.hits == first.hits


async def test_replay_of_a_trace_gives_the_same_result() -> None:
    first = await search_one(TREE, QUERY, TableJudge(), SearchSettings(beam=3))
    assert first.trace is not None
    arrivals = [step.slate.id for step in first.trace.steps]
    again = await search_one(
        TREE, QUERY, ReplayJudge(first.trace), SearchSettings(beam=3), arrivals=arrivals
    )
    assert again.hits == first.hits


async def test_failures_degrade_the_result() -> None:
    judge = TableJudge(fault=lambda call: ModelUnavailable("down") if call % 5 == 0 else None)
    result = await search_one(TREE, QUERY, judge, SearchSettings())
    assert result.degraded
    assert len(result) == 10
    assert result.stop == "expansions"


async def test_a_judge_that_stays_down_stops_the_search() -> None:
    judge = TableJudge(fault=lambda call: ModelUnavailable("down"))
    result = await search_one(TREE, QUERY, judge, SearchSettings())
    assert result.stop == "failures"
    assert result.degraded
    assert len(result) == 0
    assert len(judge.calls) <= 6


async def test_a_rejected_first_request_is_raised() -> None:
    with pytest.raises(ModelRejected):
        await search_one(
            TREE, QUERY, TableJudge(fault=lambda call: ModelRejected("bad key")), SearchSettings()
        )


async def test_budget_ends_in_a_result_that_is_not_degraded() -> None:
    def fault(call: int) -> Exception | None:
        return BudgetExceeded("no money left", limit="money") if call > 12 else None

    result = await search_one(TREE, QUERY, TableJudge(fault=fault), SearchSettings())
    assert result.stop == "money"
    assert not result.degraded
    assert len(result) > 0
    assert result.usage.calls == 12


async def test_interrupt_lets_calls_in_flight_end() -> None:
    judge = TableJudge(fault=lambda call: Interrupted("stop") if call == 9 else None)
    with pytest.raises(Interrupted):
        await search_one(TREE, QUERY, judge, SearchSettings(beam=8))
    assert judge.finished == len(judge.calls) - 1


@pytest.mark.parametrize("schedule", ["free", "lockstep"])
async def test_deadline_returns_the_best_so_far_and_keeps_stragglers(schedule: str) -> None:
    class Slow(TableJudge):
        async def judge(self, query: Query, slate: Slate) -> Judgement:
            if len(self.calls) > 8 and len(self.calls) % 2:
                self.calls.append(())
                await asyncio.sleep(0.3)
                self.finished += 1
                return Judgement({})
            return await super().judge(query, slate)

    judge = Slow()
    stragglers: set[asyncio.Task[Judgement]] = set()
    settings = SearchSettings(deadline=0.1, schedule=schedule, beam=4)
    result = await search_one(TREE, QUERY, judge, settings, stragglers=stragglers)
    assert result.stop == "deadline"
    assert len(result) > 0
    assert stragglers
    await asyncio.gather(*stragglers)
    assert judge.finished == len(judge.calls)


async def test_many_queries_equal_single_ones() -> None:
    queries = [Query(str(number), f"need {number}") for number in range(8)]
    settings = SearchSettings(schedule="lockstep")
    together = await search_many(TREE, queries, TableJudge(), settings, in_flight=5)
    for query, result in zip(queries, together, strict=True):
        alone = await search_one(TREE, query, TableJudge(), settings)
        assert alone.hits == result.hits


async def test_one_barrier_for_all_gives_the_same_results_as_lockstep() -> None:
    queries = [Query(str(number), f"need {number}") for number in range(4)]
    settings = SearchSettings(schedule="lockstep", iterations=5)
    together = await search_together(TREE, queries, TableJudge(), settings)
    apart = await search_many(TREE, queries, TableJudge(), settings)
    assert [result.hits for result in together] == [result.hits for result in apart]
