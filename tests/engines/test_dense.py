"""Dense search: exact, ordered totally, filtered; faiss where it is installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leafward.engines import DenseEngine, dense
from leafward.errors import IndexDamaged, MissingExtra
from leafward.protocols import SearchEngine, Vectors

D = 8


class Fixed:
    """Embeds every text as the vector it is given."""

    name = "fixed"
    dimensions = D

    def __init__(self, vector: Vectors) -> None:
        self.vector = vector

    def embed(self, texts: Sequence[str], *, role: Literal["query", "document"]) -> Vectors:
        return np.tile(self.vector, (len(texts), 1))


def unit(count: int, seed: int) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, D), dtype=np.float32)
    rows: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return rows


def test_ranks_by_cosine_and_is_the_protocols() -> None:
    vectors = np.eye(D, dtype=np.float32)
    query = np.array([0.6, 0.8, 0, 0, 0, 0, 0, 0], np.float32)
    engine: SearchEngine = DenseEngine(vectors, [f"d{n}" for n in range(D)], Fixed(query))
    assert engine.syntax == "text"
    assert isinstance(engine, DenseEngine)
    hits = engine.rank("anything", k=2).hits
    assert [hit.doc_id for hit in hits] == ["d1", "d0"]
    assert [hit.score for hit in hits] == pytest.approx([0.8, 0.6])


async def test_search_equals_rank() -> None:
    engine = DenseEngine(unit(50, 0), [f"d{n}" for n in range(50)], Fixed(unit(1, 1)[0]))
    assert await engine.search("x", k=7) == engine.rank("x", k=7)


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 60),
    copies=st.integers(1, 4),
    k=st.integers(0, 70),
    seed=st.integers(0, 99),
    share=st.sampled_from([None, 0.0, 0.3, 1.0]),
)
def test_equals_a_full_sort(
    count: int, copies: int, k: int, seed: int, share: float | None
) -> None:
    """Blocks of 16 rows and repeated vectors, so that ties cross the blocks' edges."""
    vectors = np.tile(unit(count, seed), (copies, 1))
    doc_ids = [f"d{n * 7919 % len(vectors):03d}-{n}" for n in range(len(vectors))]
    query = unit(1, seed + 1)[0]
    live = None
    if share is not None:
        live = np.random.default_rng(seed).random(len(vectors)) < share
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense, "_BLOCK", 16)
        hits = DenseEngine(vectors, doc_ids, Fixed(query)).rank("x", k=k, live=live).hits
    scores = np.round(vectors.astype(np.float64) @ query.astype(np.float64), 5)
    kept = [n for n in range(len(vectors)) if live is None or live[n]]
    assert len(hits) == min(k, len(kept))
    found = [doc_ids.index(hit.doc_id) for hit in hits]
    best = sorted((scores[n] for n in kept), reverse=True)[:k]
    assert scores[found] == pytest.approx(best, abs=2e-5)
    assert list(hits) == sorted(hits, key=lambda hit: (-hit.score, hit.doc_id))
    left_out = {doc_ids[n] for n in kept} - {hit.doc_id for hit in hits}
    if hits and left_out:  # whoever ties with the last hit and was cut comes after it by id
        tied = {doc_ids[n] for n in kept if np.array_equal(vectors[n], vectors[found[-1]])}
        assert all(doc_id > hits[-1].doc_id for doc_id in tied & left_out)


def test_a_predicate_filters_as_its_mask() -> None:
    doc_ids = [f"d{n}" for n in range(40)]
    engine = DenseEngine(unit(40, 3), doc_ids, Fixed(unit(1, 4)[0]))
    mask = np.arange(40) % 3 == 0
    by_mask = engine.rank("x", k=5, live=mask)
    assert by_mask == engine.rank("x", k=5, live=lambda doc_id: int(doc_id[1:]) % 3 == 0)
    assert {int(hit.doc_id[1:]) % 3 for hit in by_mask.hits} == {0}


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(IndexDamaged, match="3 documents"):
        DenseEngine(unit(4, 0), ["a", "b", "c"], Fixed(unit(1, 0)[0]))


def test_many_vectors_ask_for_faiss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "EXACT_LIMIT", 10)
    monkeypatch.setitem(sys.modules, "faiss", None)
    doc_ids = [f"d{n}" for n in range(11)]
    with pytest.raises(MissingExtra) as caught:
        DenseEngine(unit(11, 0), doc_ids, Fixed(unit(1, 0)[0]))
    assert "leafward[faiss]" in caught.value.hint
    exact = DenseEngine(unit(11, 0), doc_ids, Fixed(unit(1, 0)[0]), backend="numpy")
    assert len(exact.rank("x", k=3).hits) == 3


@pytest.mark.skipif(
    importlib.util.find_spec("faiss") is None, reason="faiss is not installed (leafward[faiss])"
)
def test_faiss_finds_what_the_scan_finds() -> None:
    vectors, doc_ids = unit(4000, 5), [f"d{n}" for n in range(4000)]
    scan, fast = (
        DenseEngine(vectors, doc_ids, Fixed(vectors[0]), backend=backend)
        for backend in ("numpy", "faiss")
    )
    live = np.arange(4000) % 50 == 0
    assert fast.rank("x", k=10, live=live) == scan.rank("x", k=10, live=live)
    assert fast.rank("x", k=1) == scan.rank("x", k=1)
    both = {hit.doc_id for hit in fast.rank("x", k=10).hits} & {
        hit.doc_id for hit in scan.rank("x", k=10).hits
    }
    assert len(both) >= 8
