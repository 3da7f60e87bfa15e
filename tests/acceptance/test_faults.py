"""Must show 8: whatever the provider does, nothing wrong passes for right and nothing is overspent.

Run with ``-s`` for the table of fault and outcome.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.samples import building_rules, sample
from tests.acceptance.serving import idle, settings, stored_prompts, stored_usage, told

import leafward
from leafward.errors import BudgetExceeded, IndexNotFound, ModelUnavailable
from leafward.library import IndexReport
from leafward.testing import ChatRequest, Fault, Inject, Oracle, Reply, Rule, ScriptedServer, rules
from leafward.types import NO_USAGE, Query, SearchResult, Tree, Usage

SAMPLE = sample(12, 4)
FIRST, SECOND, THIRD, _ = SAMPLE.queries
BUILD = {"branching": 4, "summary_batch": 4}
SEARCH = {"beam": 2, "iterations": 6, "schedule": "lockstep", "candidate_tokens": 40}
MOST_CALLS, MOST_TOKENS = 2, 6000

OUTAGES = {
    *(Fault.RATE_LIMITED, Fault.RATE_LIMITED_UNTIL, Fault.SERVER_ERROR, Fault.UNAVAILABLE),
    *(Fault.DROPPED, Fault.DROPPED_MIDDLE, Fault.STALL, Fault.GARBAGE, Fault.HTML_PAGE),
}
"""Faults of the provider: tried again, and where that does not help, an error or ``degraded``."""

HARMLESS = {
    *(Fault.PROSE, Fault.FENCE, Fault.UNKNOWN_IDS, Fault.INVALID_UTF8, Fault.NO_USAGE),
}
"""Faults that an answer can be read through, even where it has them always."""

CLAMPED = {Fault.SCORE_101: 100, Fault.SCORE_NEGATIVE: 0}
UNREADABLE = {Fault.GARBAGE, Fault.HTML_PAGE}  # delivered, but no answer


@dataclass(frozen=True)
class Truth:
    """What comes out where nothing goes wrong."""

    tree: Tree
    hits: dict[str, list[tuple[Any, ...]]]
    clamped: dict[Fault, list[tuple[Any, ...]]]
    """Hits of the second query where a judge means 100 or 0 by what it says."""


@dataclass
class Row:
    """One line of the table."""

    fault: Fault
    outcomes: list[str] = field(default_factory=list)

    def cells(self) -> list[str]:
        return [self.fault.value, *self.outcomes]


def _rules(oracle: Oracle, judge: Rule | None = None) -> list[Rule]:
    return building_rules(judge or rules.oracle_judge(oracle))


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    return asyncio.run(_truth(tmp_path_factory.mktemp("truth")))


async def _truth(path: Path) -> Truth:
    oracle = SAMPLE.oracle()
    with ScriptedServer(rules=_rules(oracle)) as server:
        case = Case(server, oracle, Fault.PROSE)
        tree, _ = await case.build(path / "i")
        hits = {q.id: told(await case.search(path / "i", q)) for q in (FIRST, SECOND)}
    clamped = {}
    for fault, value in CLAMPED.items():
        oracle = SAMPLE.oracle()
        oracle.learn(tree)
        with ScriptedServer(rules=[_saying(oracle, value)]) as server:  # another address: no cache
            clamped[fault] = told(await Case(server, oracle, fault).search(path / "i", SECOND))
    return Truth(tree, hits, clamped)


def _saying(oracle: Oracle, value: int) -> Rule:
    """A judge that gives every second candidate the same score."""
    judge = rules.oracle_judge(oracle)

    def rule(request: ChatRequest) -> Reply | None:
        reply = judge(request)
        if reply is None:
            return None
        answer = json.loads(reply.text)
        for item in answer["scores"][::2]:
            item["score"] = value
        return Reply.json(answer)

    return rule


class Case:
    """One server with one fault, and the indexes that were built against it."""

    def __init__(self, server: ScriptedServer, oracle: Oracle, fault: Fault) -> None:
        self.server, self.oracle, self.fault = server, oracle, fault
        self._attempt = 0.8 if fault is Fault.STALL else 30.0

    async def build(
        self, path: Path, *, deadline: float = 60.0, **sections: Any
    ) -> tuple[Tree, IndexReport]:
        """Build, check, and let the judge know the tree."""
        async with await leafward.abuild(
            SAMPLE.documents, path, settings=self._settings(deadline, **sections)
        ) as index:
            self.oracle.learn(index.tree)
            tree, report = index.tree, index.build_report
        assert leafward.verify(path).problems == ()
        assert sorted(tree.leaves) == sorted(document.id for document in SAMPLE.documents)
        return tree, report

    async def search(
        self, path: Path, query: Query, *, deadline: float = 60.0, **search: Any
    ) -> SearchResult:
        given = self._settings(deadline, search=SEARCH | search)
        async with leafward.open(path, settings=given) as index:
            return await index.asearch(query.text, k=20)

    def strike(self, *, always: bool = False) -> None:
        """From now on the fault strikes every request, or the first and some later ones.

        A stall takes its time: once must do.
        """
        nth = None if always else {1} if self.fault is Fault.STALL else {1, 4, 7}
        limited = self.fault in (Fault.RATE_LIMITED, Fault.RATE_LIMITED_UNTIL)
        wait = 0.01 if limited else None
        inject = Inject(self.fault, nth=nth, retry_after=wait, stall=20.0)
        self.server.change(faults=[inject])

    @property
    def struck(self) -> int:
        """How often the fault has struck so far."""
        return self.server.stats().faults.get(self.fault.value, 0)

    def heal(self) -> None:
        self.server.change(faults=[])

    @asynccontextmanager
    async def within(self, *, calls: int = 10**9, tokens: int = 10**9) -> AsyncIterator[None]:
        """The server must bill no more than this inside."""
        before = idle(self.server)
        yield
        after = idle(self.server)
        assert after.paid_calls - before.paid_calls <= calls
        assert after.tokens - before.tokens <= tokens

    def _settings(self, deadline: float, **sections: Any) -> leafward.Settings:
        models = {"attempt_timeout": self._attempt, "total_deadline": deadline, "concurrency": 4}
        build, search = BUILD | sections.pop("build", {}), sections.pop("search", SEARCH)
        return settings(self.server.base_url, models=models, build=build, search=search, **sections)


@pytest.fixture(scope="module")
def table() -> Iterator[list[Row]]:
    rows: list[Row] = []
    yield rows
    head = ["fault", "build, at times", "search, at times", "build, always", "search, always"]
    head += ["calls billed", "tokens billed", "stored", "lost on the wire"]
    lines = [head, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    print(f"\n\n{len(SAMPLE.documents)} documents of {SAMPLE.name}")
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))


@pytest.mark.parametrize("fault", Fault, ids=lambda fault: fault.value)
async def test_every_fault_ends_well(
    fault: Fault, truth: Truth, table: list[Row], tmp_path: Path
) -> None:
    oracle = SAMPLE.oracle()
    async with ScriptedServer(rules=_rules(oracle)) as server:
        case, row = Case(server, oracle, fault), Row(fault)
        row.outcomes.append(await _builds_at_times(case, truth, tmp_path / "a"))
        row.outcomes.append(await _searches_at_times(case, truth, tmp_path / "a"))
        await _keeps_its_budget(case, tmp_path)
        row.outcomes.append(await _builds_always(case, truth, tmp_path / "b"))
        row.outcomes.append(await _searches_always(case, truth, tmp_path / "a"))
        row.outcomes += _nothing_paid_is_lost(case, [tmp_path / name for name in "abc"])
    table.append(row)


async def _builds_at_times(case: Case, truth: Truth, path: Path) -> str:
    """A fault that strikes at times is repaired, and what could not be is counted."""
    case.strike()
    tree, report = await case.build(path)
    if tree == truth.tree:
        return "same tree"
    assert case.fault not in OUTAGES | HARMLESS
    return _told_repairs(report)


def _told_repairs(report: IndexReport) -> str:
    """What a build says about the answers that it could not use; it must say something."""
    found = [f"{count} {kind}" for kind, count in report.repairs.items()]
    if report.extractive:
        found.append(f"{report.extractive} extractive")
    assert found
    return f"other tree ({', '.join(found)})"


async def _searches_at_times(case: Case, truth: Truth, path: Path) -> str:
    case.strike()
    struck = case.struck
    result = await case.search(path, FIRST)
    assert case.struck > struck
    outcome = _outcome(result, FIRST, truth.hits[FIRST.id])
    if case.fault in OUTAGES | HARMLESS:
        assert outcome == "same hits"
    elif case.fault not in CLAMPED:
        assert outcome != "wrong"
    return "clamped scores" if outcome == "wrong" else outcome


def _outcome(result: SearchResult, query: Query, expected: list[tuple[Any, ...]]) -> str:
    for hit in result.hits:
        assert all(0.0 <= score <= 1.0 for score in hit.raw)
    if result.degraded:
        return f"degraded, {len(result)} hits, {result.stop}"
    if told(result) == expected:
        return "same hits"
    assert len(result) == len(expected)
    return "right" if {result.hits[0].doc_id} <= SAMPLE.relevant(query) else "wrong"


async def _keeps_its_budget(case: Case, path: Path) -> None:
    """Limits on calls and tokens hold on the provider's own bill, for builds and searches."""
    case.strike()
    async with case.within(calls=MOST_CALLS):
        with pytest.raises(BudgetExceeded) as stopped:
            await case.build(path / "b", budget={"calls": MOST_CALLS})
        assert stopped.value.hint
        assert stopped.value.limit == "calls"
    case.strike()
    async with case.within(tokens=MOST_TOKENS):
        with pytest.raises(BudgetExceeded) as stopped:
            await case.build(path / "c", budget={"tokens": MOST_TOKENS})
        assert stopped.value.limit == "tokens"
    case.strike()
    async with case.within(tokens=MOST_TOKENS // 2):
        result = await case.search(path / "a", THIRD, max_tokens=MOST_TOKENS // 2)
    assert result.stop in ("tokens", "exhausted", "expansions")


async def _builds_always(case: Case, truth: Truth, path: Path) -> str:
    """Goes on with the build that ran out of budget, now that every request is struck."""
    case.strike(always=True)
    if case.fault not in OUTAGES:
        tree, report = await case.build(path)
        if tree == truth.tree:
            return "same tree"
        assert case.fault not in HARMLESS
        return _told_repairs(report)
    with pytest.raises(ModelUnavailable) as down:
        await case.build(path, deadline=0.25)
    assert down.value.retryable
    assert down.value.hint
    with pytest.raises(IndexNotFound):
        leafward.open(path)
    case.heal()
    known, before = stored_prompts(path), idle(case.server).paid
    tree, _ = await case.build(path)
    assert tree == truth.tree
    after = idle(case.server).paid
    assert [after[prompt] for prompt in known] == [before[prompt] for prompt in known]
    return f"{type(down.value).__name__}, resumed"


async def _searches_always(case: Case, truth: Truth, path: Path) -> str:
    case.strike(always=True)
    outage = case.fault in OUTAGES
    result = await case.search(path, SECOND, deadline=0.25 if outage else 60.0)
    if case.fault in CLAMPED:
        assert told(result) == truth.clamped[case.fault]
        return "clamped scores"
    outcome = _outcome(result, SECOND, truth.hits[SECOND.id])
    if case.fault in HARMLESS:
        assert outcome == "same hits"
    if outage:
        assert (result.degraded, result.stop) == (True, "failures")
    assert outcome != "wrong"
    return outcome


def _nothing_paid_is_lost(case: Case, indexes: list[Path]) -> list[str]:
    """Every answer that arrived whole is in the cache of the index that asked for it."""
    stats = idle(case.server)
    unreadable = case.struck if case.fault in UNREADABLE else 0
    stored = sum((stored_usage(path) for path in indexes), NO_USAGE)
    assert stored.calls == stats.answered - unreadable
    assert stored.calls == sum(len(stored_prompts(path)) for path in indexes)
    _check_tokens(case, stored)
    counts = (stats.paid_calls, stats.tokens, stored.calls, stats.lost)
    return [str(count) for count in counts]


def _check_tokens(case: Case, stored: Usage) -> None:
    stats = idle(case.server)
    if case.fault is Fault.NO_USAGE:  # what is not told is bounded from above
        assert stored.tokens >= stats.tokens
    elif case.fault not in UNREADABLE:
        assert stored.tokens == stats.tokens - stats.lost_tokens
