from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.search.fusion import adapted, min_max, peakedness, reciprocal_rank, weighted
from leafward.types import Hit

FINITE = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


@st.composite
def rankings(draw: st.DrawFn, least: int = 0) -> tuple[Hit, ...]:
    ids = draw(st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=least))
    scores = sorted((draw(FINITE) for _ in ids), reverse=True)
    return tuple(Hit(doc_id, score) for doc_id, score in zip(ids, scores, strict=True))


def ranking(**scores: float) -> tuple[Hit, ...]:
    return tuple(Hit(doc_id, score) for doc_id, score in scores.items())


def ids(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.doc_id for hit in hits]


@given(rankings(least=1))
def test_min_max_keeps_the_order_within_zero_and_one(hits: tuple[Hit, ...]) -> None:
    scaled = min_max(hits)
    assert [scaled[hit.doc_id] for hit in hits] == sorted(scaled.values(), reverse=True)
    assert max(scaled.values()) == 1.0
    assert min(scaled.values()) in (0.0, 1.0)


def test_min_max_of_equal_scores_is_one() -> None:
    assert min_max(ranking(a=3, b=3)) == {"a": 1.0, "b": 1.0}
    assert min_max(()) == {}


def test_weighted_by_hand() -> None:
    """LATTICE++: 0.6 · tree + 0.2 · BM25 + 0.2 · dense; what a source lacks counts 0 there."""
    tree = ranking(a=0.9, b=0.5, c=0.1)
    bm25 = ranking(c=30.0, d=10.0)
    dense = ranking(b=0.8, c=0.6, a=0.4)
    hits = weighted([tree, bm25, dense], (0.6, 0.2, 0.2))
    expected = {"a": 0.6, "b": 0.6 * 0.5 + 0.2, "c": 0.2 + 0.2 * 0.5, "d": 0.0}
    assert {hit.doc_id: hit.score for hit in hits} == pytest.approx(expected)
    assert ids(hits) == ["a", "b", "c", "d"]


def test_weights_are_shared_among_sources_that_found_something() -> None:
    assert weighted([ranking(a=2, b=1), ()], (0.5, 0.5)) == ranking(a=1.0, b=0.0)
    assert weighted([(), ()], (0.5, 0.5)) == ()


@given(st.lists(rankings(), min_size=1, max_size=3), st.floats(0.1, 10))
def test_scale_and_shift_of_a_source_change_nothing(
    sources: list[tuple[Hit, ...]], scale: float
) -> None:
    weights = [1.0 + place for place in range(len(sources))]
    moved = [tuple(Hit(hit.doc_id, scale * hit.score + 7) for hit in hits) for hits in sources]
    before = {hit.doc_id: hit.score for hit in weighted(sources, weights)}
    after = {hit.doc_id: hit.score for hit in weighted(moved, weights)}
    assert after == pytest.approx(before, abs=1e-5)


@given(st.lists(rankings(), min_size=1, max_size=3))
def test_fusions_rank_the_union_once_each_with_ties_by_id(sources: list[tuple[Hit, ...]]) -> None:
    union = {hit.doc_id for hits in sources for hit in hits}
    for fused in (weighted(sources, [1.0] * len(sources)), reciprocal_rank(sources)):
        assert sorted(ids(fused)) == sorted(union)
        assert list(fused) == sorted(fused, key=lambda hit: (-hit.score, hit.doc_id))


@given(st.lists(st.tuples(rankings(), st.floats(0, 9)), min_size=1, max_size=4))
def test_weighted_is_the_formula(pairs: list[tuple[tuple[Hit, ...], float]]) -> None:
    """Document by document: Σ w · (s - low) / (high - low), 0 where a source lacks it."""
    sources, weights = [hits for hits, _ in pairs], [weight for _, weight in pairs]
    total = sum(weight for hits, weight in pairs if hits) or 1.0

    def score(doc_id: str) -> float:
        found = 0.0
        for hits, weight in pairs:
            given = {hit.doc_id: hit.score for hit in hits}
            low, high = min(given.values(), default=0), max(given.values(), default=0)
            if doc_id in given:
                found += (
                    weight / total * (1 if low == high else (given[doc_id] - low) / (high - low))
                )
        return found

    fused = weighted(sources, weights)
    assert [hit.score for hit in fused] == pytest.approx([score(hit.doc_id) for hit in fused])


@given(st.lists(rankings(), min_size=1, max_size=4), st.integers(1, 100))
def test_reciprocal_rank_is_the_formula(sources: list[tuple[Hit, ...]], c: int) -> None:
    for hit in reciprocal_rank(sources, c=c):
        places = [ids(hits).index(hit.doc_id) + 1 for hits in sources if hit.doc_id in ids(hits)]
        assert hit.score == pytest.approx(sum(1 / (c + place) for place in places))


def test_reciprocal_rank_by_hand() -> None:
    hits = reciprocal_rank([ranking(a=9, b=8), ranking(b=0.2, c=0.1)], c=60)
    assert {hit.doc_id: hit.score for hit in hits} == pytest.approx(
        {"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62}
    )
    assert ids(hits) == ["b", "a", "c"]


def test_peakedness_by_hand() -> None:
    assert peakedness(ranking(a=1, b=0, c=0)) == 1.0
    assert peakedness(ranking(a=1, b=1, c=0)) == 0.5
    assert peakedness(ranking(a=4, b=2, c=0)) == pytest.approx(0.75)
    assert peakedness(ranking(a=5, b=5)) == 0.0
    assert peakedness(ranking(a=5)) == 0.5
    assert peakedness(()) == 0.0


def test_peakedness_looks_at_the_best_hundred() -> None:
    """An outlier further down would make everything above it look alike."""
    scores = [2.0, *[1.0] * 98, 0.0]
    best = tuple(Hit(f"d{place}", score) for place, score in enumerate(scores))
    assert peakedness(best) == pytest.approx(1 - 98 / 99 / 2)
    assert peakedness((*best, Hit("far", -1e6))) == peakedness(best)


@given(rankings())
def test_peakedness_is_a_share(hits: tuple[Hit, ...]) -> None:
    assert 0.0 <= peakedness(hits) <= 1.0


def test_adapted_weights_follow_the_peaked_source() -> None:
    peaked, flat = ranking(a=9, b=0.1, c=0.05, d=0), ranking(a=4, b=3, c=2, d=0)
    weights = adapted([peaked, flat], (0.5, 0.5), power=2)
    assert weights[0] > 0.6
    assert sum(weights) == pytest.approx(1)
    stronger = adapted([peaked, flat], (0.5, 0.5), power=4)
    assert stronger[0] > weights[0]


@given(st.lists(st.tuples(rankings(), st.floats(0.01, 9)), min_size=1, max_size=4))
def test_power_zero_is_the_fixed_fusion(pairs: list[tuple[tuple[Hit, ...], float]]) -> None:
    sources, weights = [hits for hits, _ in pairs], [weight for _, weight in pairs]
    chosen = adapted(sources, weights, power=0)
    assert chosen == pytest.approx([weight / sum(weights) for weight in weights])
    fixed = {hit.doc_id: hit.score for hit in weighted(sources, weights)}
    assert {hit.doc_id: hit.score for hit in weighted(sources, chosen)} == pytest.approx(fixed)


def test_power_zero_and_sources_without_any_shape_keep_the_fixed_weights() -> None:
    sources = [ranking(a=2, b=1), ranking(a=5, b=4)]
    assert adapted(sources, (3.0, 1.0), power=0) == pytest.approx((0.75, 0.25))
    same = [ranking(a=1, b=1), ranking(c=2, d=2)]
    assert adapted(same, (0.6, 0.2), power=1) == pytest.approx((0.75, 0.25))


def test_a_source_of_weight_zero_still_brings_its_documents() -> None:
    hits = weighted([ranking(a=2, b=1), ranking(c=2, d=1)], (1.0, 0.0))
    assert ids(hits) == ["a", "b", "c", "d"]
