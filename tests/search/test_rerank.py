from __future__ import annotations

import random
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from leafward.search.rerank import SlidingWindows, reach
from leafward.types import Judgement


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


@given(cases(), st.integers(0, 5))
def test_the_unobserved_keep_their_places_whatever_the_rest_do(
    case: tuple[list[int], int, int, int], seed: int
) -> None:
    nodes, window, carry, top = case
    chance = random.Random(seed)
    windows = SlidingWindows(nodes, window=window, carry=carry, top=top)
    slates = []
    while (slate := windows.next_slate()) is not None:
        slates.append(slate)
        shown = [candidate.node for candidate in slate.candidates]
        scores = {node: chance.choice([0.1, 0.5, 0.9]) for node in shown if chance.random() < 0.6}
        before = list(windows.order)
        windows.absorb(Judgement(scores))
        moved = {old for old, new in zip(before, windows.order, strict=True) if old != new}
        assert moved <= set(scores)
        ranked = [node for node in windows.order if node in scores]
        assert ranked == sorted(scores, key=lambda node: (-scores[node], before.index(node)))
    assert [slate.id for slate in slates] == list(range(len(slates)))


def test_every_window_has_a_second_try_of_its_own() -> None:
    windows = SlidingWindows(range(30), window=20, carry=10, top=30)
    windows.next_slate()
    windows.fail()
    windows.next_slate()
    windows.absorb(Judgement({}))
    windows.next_slate()
    windows.fail()
    again = windows.next_slate()
    assert again is not None
    assert [candidate.node for candidate in again.candidates] == list(range(20))
