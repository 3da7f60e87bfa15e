from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.errors import SettingsError
from leafward.search.judges.screened import ScreenedJudge
from leafward.types import Candidate, Judgement, Query, Slate, Usage

QUERY = Query("q", "why?")


class Table:
    """A judge that reads its scores from a table, and remembers what it was shown."""

    def __init__(self, scores: Mapping[int, float], calls: int = 1) -> None:
        self._scores = scores
        self._calls = calls
        self.shown: list[tuple[int, ...]] = []

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        nodes = tuple(candidate.node for candidate in slate.candidates)
        self.shown.append(nodes)
        scores = {node: self._scores[node] for node in nodes if node in self._scores}
        return Judgement(scores, "because", usage=Usage(calls=self._calls))


def slate(*nodes: int, references: tuple[int, ...] = ()) -> Slate:
    return Slate(0, 0, tuple(Candidate(node, reference=node in references) for node in nodes))


async def test_shows_the_best_in_the_order_of_the_slate() -> None:
    slow = Table({1: 0.2, 3: 0.7})
    judge = ScreenedJudge(slow, Table({1: 0.9, 2: 0.1, 3: 0.8, 4: 0.3}), keep=2)
    judgement = await judge.judge(QUERY, slate(3, 4, 2, 1))
    assert slow.shown == [(3, 1)]
    assert judgement.scores == {1: 0.2, 3: 0.7, 2: 0.2, 4: 0.2}
    assert judgement.reasoning == "because"
    assert judgement.usage.calls == 2


async def test_a_reference_that_was_not_shown_stays_unobserved() -> None:
    judge = ScreenedJudge(Table({1: 0.5, 2: 0.4}), Table({1: 0.9, 2: 0.8, 3: 0.1, 4: 0.0}), keep=2)
    judgement = await judge.judge(QUERY, slate(1, 2, 3, 4, references=(2, 3)))
    assert judgement.scores == {1: 0.5, 2: 0.4, 4: 0.4}


async def test_a_short_slate_is_not_screened() -> None:
    screen = Table({})
    judgement = await ScreenedJudge(Table({1: 0.5}), screen, keep=2).judge(QUERY, slate(1, 2))
    assert judgement.scores == {1: 0.5}
    assert screen.shown == []


async def test_a_judge_that_scores_nothing_leaves_all_unobserved() -> None:
    judge = ScreenedJudge(Table({}), Table({1: 0.9, 2: 0.8, 3: 0.7}), keep=2)
    assert (await judge.judge(QUERY, slate(1, 2, 3))).scores == {}


def test_one_candidate_is_no_comparison() -> None:
    with pytest.raises(SettingsError, match="compares nothing"):
        ScreenedJudge(Table({}), Table({}), keep=1)


@given(
    st.dictionaries(st.integers(0, 30), st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1),
    st.integers(2, 12),
)
async def test_nothing_left_out_beats_what_was_read(
    table: dict[int, tuple[float, float]], keep: int
) -> None:
    slow = Table({node: pair[0] for node, pair in table.items()})
    judge = ScreenedJudge(slow, Table({node: pair[1] for node, pair in table.items()}), keep=keep)
    scores = (await judge.judge(QUERY, slate(*table))).scores
    shown = set(slow.shown[0])
    assert len(shown) == min(keep, len(table))
    assert set(scores) == set(table)
    assert all(scores[left] <= scores[read] for left in set(table) - shown for read in shown)
