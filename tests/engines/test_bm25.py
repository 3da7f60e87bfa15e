"""BM25: any text is a query, order is total, filters hold, SciFact reaches its mark."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import numpy as np
import pytest
from benchmarks.bm25_scifact import measure
from hypothesis import given, settings
from hypothesis import strategies as st

from leafward.engines import Bm25Engine
from leafward.errors import IndexDamaged, SettingsError, StoreError
from leafward.protocols import SearchEngine
from leafward.types import Document

TEXTS = {
    "b": "The cat sat on the mat.",
    "a": "The cat sat on the mat.",
    "c": "Dogs chase cats; a cat runs.",
    "d": "Quantum chromodynamics of the proton.",
    "e": "",
}


def make(folder: Path, texts: dict[str, str]) -> Bm25Engine:
    Bm25Engine.build(folder, [Document(doc_id, text) for doc_id, text in texts.items()])
    return Bm25Engine.open(folder)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Bm25Engine:
    return make(tmp_path_factory.mktemp("bm25") / "lexical", TEXTS)


def ids(engine: Bm25Engine, text: str, k: int = 10) -> list[str]:
    return [hit.doc_id for hit in engine.rank(text, k=k).hits]


def test_stems_and_titles_are_searched(tmp_path: Path) -> None:
    Bm25Engine.build(tmp_path / "x", [Document("1", "body", "Running shoes"), Document("2", "b")])
    assert ids(Bm25Engine.open(tmp_path / "x"), "run shoe") == ["1"]


def test_equal_documents_are_ordered_by_id(engine: Bm25Engine) -> None:
    assert ids(engine, "mat") == ["a", "b"]
    assert ids(engine, "mat", k=1) == ["a"]  # although b was indexed first


def test_a_long_run_of_equals_is_cut_in_order_of_ids(tmp_path: Path) -> None:
    engine = make(tmp_path / "x", {f"{n:03d}": "same words" for n in reversed(range(300))})
    assert ids(engine, "words", k=3) == ["000", "001", "002"]


def test_stop_words_and_unknown_words_find_nothing(engine: Bm25Engine) -> None:
    assert ids(engine, "the of and") == []
    assert ids(engine, "zebra") == []
    assert ids(engine, "") == []


def test_repeated_words_weigh_more(engine: Bm25Engine) -> None:
    once = engine.rank("cat proton", k=10).hits[0]
    assert once.doc_id == "d"
    assert ids(engine, "cat cat cat cat proton")[0] == "c"


def test_total_counts_all_matches(engine: Bm25Engine) -> None:
    assert engine.rank("cat", k=1).total == 3
    assert engine.count == len(TEXTS)


def test_filters_by_predicate_and_by_mask_agree(engine: Bm25Engine) -> None:
    by_predicate = engine.rank("cat", k=2, live=lambda doc_id: doc_id != "c")
    mask = np.array([doc_id != "c" for doc_id in TEXTS])
    assert by_predicate == engine.rank("cat", k=2, live=mask)
    assert [hit.doc_id for hit in by_predicate.hits] == ["a", "b"]
    assert by_predicate.total is None


def test_a_filter_digs_as_deep_as_it_must(tmp_path: Path) -> None:
    engine = make(tmp_path / "x", {f"{n:03d}": "word " * (1 + n % 7) for n in range(400)})
    last = engine.rank("word", k=400).hits[-1]
    assert engine.rank("word", k=2, live=lambda doc_id: doc_id == last.doc_id).hits == (last,)


def test_a_mask_of_another_length_is_refused(engine: Bm25Engine) -> None:
    with pytest.raises(SettingsError, match="5 documents"):
        engine.rank("cat", k=1, live=np.ones(4, np.bool_))


@pytest.mark.parametrize("text", ['"(', "a AND", "title:x^", "[1 TO", "\ud800cat", "+-!~*?\\"])
def test_query_syntax_means_nothing(engine: Bm25Engine, text: str) -> None:
    engine.rank(text, k=5)
    assert ids(engine, f"{text} mat") == ids(engine, f"mat {text}")


@settings(max_examples=50, deadline=None)
@given(text=st.text(st.characters()), k=st.integers(0, 12))
def test_no_text_is_an_error_and_ranks_are_prefixes(engine: Bm25Engine, text: str, k: int) -> None:
    ranked = engine.rank(f"{text} cat", k=10).hits
    assert engine.rank(f"{text} cat", k=k).hits == ranked[:k]
    assert list(ranked) == sorted(ranked, key=lambda hit: (-hit.score, hit.doc_id))


def test_a_query_of_thousands_of_words_is_ranked(engine: Bm25Engine) -> None:
    text = " ".join(f"word{n}" for n in range(5000)) + " proton"
    assert ids(engine, text) == ["d"]


async def test_search_is_the_protocols_and_runs_side_by_side(engine: Bm25Engine) -> None:
    several: SearchEngine = engine
    rankings = await asyncio.gather(*(several.search("cat", k=3) for _ in range(8)))
    assert set(rankings) == {engine.rank("cat", k=3)}
    assert several.syntax == "text"


def test_two_builds_rank_alike(tmp_path: Path, engine: Bm25Engine) -> None:
    assert make(tmp_path / "x", TEXTS).rank("cat runs", k=9) == engine.rank("cat runs", k=9)


def test_nothing_is_built_over_something(tmp_path: Path) -> None:
    make(tmp_path / "x", TEXTS)
    with pytest.raises(StoreError, match="not empty"):
        Bm25Engine.build(tmp_path / "x", [])


def test_no_documents_rank_nothing(tmp_path: Path) -> None:
    assert ids(make(tmp_path / "x", {}), "cat") == []


def test_damage_is_said(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match="cannot be read"):
        Bm25Engine.open(tmp_path / "nothing")
    make(tmp_path / "x", TEXTS)
    (tmp_path / "x" / "documents.json").write_text('["a"]')
    with pytest.raises(IndexDamaged, match="its list 1"):
        Bm25Engine.open(tmp_path / "x")
    (tmp_path / "x" / "meta.json").write_text("{")
    with pytest.raises(IndexDamaged, match="cannot be read"):
        Bm25Engine.open(tmp_path / "x")


def test_opens_where_nothing_may_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "x", TEXTS)
    for lock in (tmp_path / "x").glob(".*.lock"):
        lock.unlink()
    before = sorted(path.name for path in (tmp_path / "x").iterdir())
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert ids(Bm25Engine.open(tmp_path / "x"), "proton") == ["d"]
    assert sorted(path.name for path in (tmp_path / "x").iterdir()) == before


@pytest.mark.real_data
def test_scifact_reaches_its_mark(scifact: Path) -> None:
    result = measure(scifact)
    assert result["queries"] == 300
    ndcg, recall = result["nDCG@10"], result["R@100"]
    assert isinstance(ndcg, float) and ndcg >= 0.675
    assert isinstance(recall, float) and recall >= 0.91
