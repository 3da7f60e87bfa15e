"""Running a collection: in order, many at once, resumed, with failures told apart."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest
from tests.evaluate.samples import Scripted, answer, collection

from leafward.errors import (
    BudgetExceeded,
    EngineUnavailable,
    Interrupted,
    LeafwardError,
    ModelRejected,
    ModelTimeout,
    QuerySyntaxError,
    SettingsError,
)
from leafward.evaluate import evaluate, read_journal
from leafward.protocols import Silent
from leafward.types import Hit, Outcome, Query, Ranking, Trace


class Counted(Silent):
    def __init__(self) -> None:
        self.total: int | None = None
        self.done = 0

    def start(self, stage: str, total: int | None = None) -> None:
        self.total = total

    def advance(self, stage: str, count: int = 1) -> None:
        self.done += count


async def test_outcomes_come_in_the_order_of_the_queries() -> None:
    retriever = Scripted()
    outcomes = await evaluate(retriever, collection(9), concurrency=4)
    assert [outcome.query_id for outcome in outcomes] == [f"q{i}" for i in range(9)]
    assert retriever.most == 4
    assert all(outcome.seconds >= 0 and not outcome.error for outcome in outcomes)


async def test_a_failure_of_ours_loses_its_query_only() -> None:
    failures = {"q1": ModelTimeout("too slow"), "q2": EngineUnavailable("down")}
    outcomes = await evaluate(Scripted(failures), collection(4))
    assert [outcome.ranking is None for outcome in outcomes] == [False, True, True, False]
    assert outcomes[1].error == "ModelTimeout: too slow"
    assert outcomes[2].error == "EngineUnavailable: down"


async def test_an_expression_that_cannot_be_parsed_is_the_methods_fault() -> None:
    failures = {"q0": QuerySyntaxError("unbalanced", column=3)}
    outcomes = await evaluate(Scripted(failures), collection(1))
    assert outcomes[0].ranking == Ranking((), "q0")
    assert outcomes[0].error == "QuerySyntaxError: unbalanced"


@pytest.mark.parametrize(
    "error", [BudgetExceeded("spent", limit="calls"), Interrupted("stop"), SettingsError("wrong")]
)
async def test_what_concerns_every_query_stops_the_run_and_keeps_what_there_is(
    error: LeafwardError, tmp_path: Path
) -> None:
    journal = tmp_path / "deep" / "journal.jsonl"
    retriever = Scripted({"q3": error})
    with pytest.raises(type(error)):
        await evaluate(retriever, collection(6), concurrency=1, journal=journal)
    assert retriever.asked == ["q0", "q1", "q2", "q3"]
    assert [outcome.query_id for outcome in read_journal(journal)[1]] == ["q0", "q1", "q2"]
    again = Scripted()
    outcomes = await evaluate(again, collection(6), journal=journal)
    assert again.asked == ["q3", "q4", "q5"]
    assert [outcome.query_id for outcome in outcomes] == [f"q{i}" for i in range(6)]


async def test_what_is_in_flight_ends_before_the_run_stops(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    with pytest.raises(BudgetExceeded):
        await evaluate(
            Scripted({"q0": BudgetExceeded("spent", limit="calls")}),
            collection(8),
            concurrency=3,
            journal=journal,
        )
    assert [outcome.query_id for outcome in read_journal(journal)[1]] == ["q1", "q2"]


async def test_a_first_request_that_is_refused_stops_the_run() -> None:
    retriever = Scripted({f"q{i}": ModelRejected("bad key") for i in range(6)})
    with pytest.raises(ModelRejected):
        await evaluate(retriever, collection(6), concurrency=1)
    assert retriever.asked == ["q0"]


async def test_a_later_or_single_refusal_loses_its_query_only() -> None:
    late = {"q1": ModelRejected("no such model"), "q0": ModelRejected("long", of_request=True)}
    outcomes = await evaluate(Scripted({"q0": late["q0"]}), collection(2), concurrency=1)
    assert [outcome.ranking is None for outcome in outcomes] == [True, False]
    outcomes = await evaluate(Scripted({"q1": late["q1"]}), collection(2), concurrency=1)
    assert [outcome.ranking is None for outcome in outcomes] == [False, True]


async def test_a_run_resumes_and_asks_again_what_was_lost(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    first = Scripted({"q1": EngineUnavailable("down")})
    before = await evaluate(first, collection(3), journal=journal, method="bm25")
    second = Scripted()
    seen: list[Outcome] = []
    after = await evaluate(
        second, collection(3), journal=journal, method="bm25", on_outcome=seen.append
    )
    assert second.asked == ["q1"]
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1].ranking == answer(Query("q1", ""))
    assert {outcome.query_id for outcome in seen} == {"q0", "q1", "q2"}
    third = Scripted()
    assert await evaluate(third, collection(3), journal=journal, method="bm25") == after
    assert third.asked == []


async def test_more_queries_go_on_with_the_journal_of_fewer(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    await evaluate(Scripted(), collection(2), journal=journal)
    more = Scripted()
    assert len(await evaluate(more, collection(4), journal=journal)) == 4
    assert more.asked == ["q2", "q3"]
    fewer = await evaluate(Scripted(), collection(1), journal=journal)
    assert [outcome.query_id for outcome in fewer] == ["q0"]


async def test_stop_is_asked_before_every_query(tmp_path: Path) -> None:
    retriever = Scripted()
    with pytest.raises(Interrupted) as caught:
        await evaluate(
            retriever,
            collection(5),
            concurrency=1,
            journal=tmp_path / "j",
            stop=lambda: len(retriever.asked) == 2,
        )
    assert retriever.asked == ["q0", "q1"]
    assert "again" in caught.value.hint


async def test_cancelling_keeps_what_is_finished(tmp_path: Path) -> None:
    class Stuck(Scripted):
        async def retrieve(self, query: Query, *, k: int) -> Ranking:
            if query.id == "q2":
                await asyncio.Event().wait()
            return await super().retrieve(query, k=k)

    journal = tmp_path / "j"
    task = asyncio.create_task(evaluate(Stuck(), collection(3), concurrency=1, journal=journal))
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(read_journal(journal)[1]) == 2
    assert len(await evaluate(Scripted(), collection(3), journal=journal)) == 3


async def test_progress_counts_resumed_queries_too(tmp_path: Path) -> None:
    await evaluate(Scripted(), collection(2), journal=tmp_path / "j")
    progress = Counted()
    await evaluate(Scripted(), collection(5), journal=tmp_path / "j", progress=progress)
    assert (progress.total, progress.done) == (5, 5)


@pytest.mark.parametrize("kept", [True, False])
async def test_traces_are_kept_where_asked_for(tmp_path: Path, kept: bool) -> None:
    trace = Trace("need", (), "exhausted", key="k")
    retriever = Scripted(make=lambda query: Ranking((Hit("d0", 1.0),), "", trace=trace))
    journal = tmp_path / "j"
    (outcome,) = await evaluate(retriever, collection(1), journal=journal, traces=kept)
    assert outcome.ranking == Ranking((Hit("d0", 1.0),), "q0", trace=trace if kept else None)
    assert await evaluate(Scripted(), collection(1), journal=journal, traces=kept) == (outcome,)


@pytest.mark.parametrize("hits", [(Hit("a", math.nan),), (Hit("a", 1.0), Hit("a", 0.5))])
async def test_what_cannot_be_scored_is_not_written_down(
    tmp_path: Path, hits: tuple[Hit, ...]
) -> None:
    retriever = Scripted(make=lambda query: Ranking(hits))
    with pytest.raises(LeafwardError, match="'q0'"):
        await evaluate(retriever, collection(1), journal=tmp_path / "j")
    assert read_journal(tmp_path / "j")[1] == ()


@pytest.mark.parametrize(("k", "concurrency"), [(0, 8), (10, 0)])
async def test_nothing_asked_for_is_refused(k: int, concurrency: int) -> None:
    with pytest.raises(SettingsError):
        await evaluate(Scripted(), collection(1), k=k, concurrency=concurrency)


async def test_no_query_gives_no_outcome() -> None:
    assert await evaluate(Scripted(), collection(0)) == ()
