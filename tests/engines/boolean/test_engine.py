"""The engine's fields, orders, limits and files."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from leafward.engines.boolean import BooleanEngine, compiling
from leafward.engines.boolean.parser import MAX_LEVELS, MAX_TERMS
from leafward.errors import IndexDamaged, QuerySyntaxError, StoreError
from leafward.protocols import SearchEngine
from leafward.types import Document, MetaValue

RECORDS: dict[str, tuple[str, str, dict[str, MetaValue]]] = {
    "11": (
        "Aspirin after stroke",
        "Low-dose aspirin.",
        {
            "mesh": ("Stroke/drug therapy", "Aspirin"),
            "mesh_major": ("Stroke/drug therapy",),
            "authors": "J A Smith; B van der Berg",
            "journal": "The Lancet",
            "journal_abbreviation": "Lancet",
            "date": "2004-03-17",
            "publication_types": ("Randomized Controlled Trial",),
            "language": "eng",
        },
    ),
    "12": (
        "Aspirin, aspirin and aspirin",
        "",
        {"authors": ("Smith J", "Stroke Trials Group"), "year": 2004, "languages": ("ger",)},
    ),
    "13": ("Nothing known", "No date here", {"topics": ("aspirin",), "year": "n.d."}),
    "14": ("Aspirin, aspirin and aspirin", "", {"date": "2005/11", "keywords": ("low dose",)}),
}


def documents() -> list[Document]:
    return [Document(doc_id, text, title, meta) for doc_id, (title, text, meta) in RECORDS.items()]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> BooleanEngine:
    folder = tmp_path_factory.mktemp("boolean") / "x"
    BooleanEngine.build(folder, documents())
    return BooleanEngine.open(folder)


def ids(engine: BooleanEngine, expression: str) -> list[str]:
    return [hit.doc_id for hit in engine.find(expression, k=10).hits]


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("aspirin", ["14", "11", "12"]),  # newest first; 2004 alone is its January 1
        ("known", ["13"]),  # and topics are not indexed
        ("stroke[mh]", ["11"]),
        ("stroke/drug therapy[mh]", ["11"]),
        ("stroke/diagnosis[mh]", []),
        ("stroke[majr]", ["11"]),
        ("aspirin[majr:noexp]", []),
        ("aspirin[mh:noexp]", ["11"]),
        ("smith[au]", ["11", "12"]),
        ("Smith J[au]", ["11", "12"]),
        ("Smith J.A.[au]", ["11"]),
        ('"Smith J"[au]', ["12"]),
        ("smith a[au]", []),
        ("van der Berg B[au]", ["11"]),
        ("stroke trials group[au]", ["12"]),
        ("lancet[ta]", ["11"]),
        ("The Lancet[journal]", ["11"]),
        ("english[la]", ["11"]),
        ("eng[la] OR german[la]", ["11", "12"]),
        ("randomized controlled trial[pt]", ["11"]),
        ("randomized[pt]", []),
        ("randomized[tw]", ["11"]),
        ("randomized[tiab]", []),
        ("lancet[all]", ["11"]),
        ("low dose[ot]", ["14"]),
        ("low dose[tiab]", ["11"]),
        ("2004[dp]", ["11", "12"]),
        ("2004/03[dp]", ["11"]),
        ("2004/03/18:2005[dp]", ["14"]),
        ("2005/11/01[dp]", ["14"]),
        ("0001:9999[dp]", ["14", "11", "12"]),
        ("12 14 99[pmid]", ["14", "12"]),
        ("stroke aspirin[ti]", ["11"]),  # no such phrase: each word
        ('"stroke aspirin"[ti]', []),
        ("and after the stroke", ["11"]),
        ('"aspirin and"', ["14", "12"]),
        ('"stroke low"', []),  # title and text are not one phrase
    ],
)
def test_fields(engine: BooleanEngine, expression: str, found: list[str]) -> None:
    assert ids(engine, expression) == found
    assert engine.find(expression, k=0).total == len(found)


def test_scores_are_dates_or_bm25(engine: BooleanEngine) -> None:
    dated = engine.find("aspirin OR known", k=10)
    assert [hit.score for hit in dated.hits] == [20051101.0, 20040317.0, 20040101.0, 0.0]
    assert dated.total == 4
    ranked = engine.find("aspirin[ti]", k=10, order="relevance")
    assert [hit.doc_id for hit in ranked.hits] == ["12", "14", "11"]  # equals by id
    assert ranked.hits[0].score == ranked.hits[1].score > ranked.hits[2].score
    for k in range(4):
        assert engine.find("aspirin[ti]", k=k, order="relevance").hits == ranked.hits[:k]
        assert engine.find("aspirin OR known", k=k).hits == dated.hits[:k]


async def test_search_is_the_protocols_and_runs_side_by_side(engine: BooleanEngine) -> None:
    several: SearchEngine = engine
    rankings = await asyncio.gather(
        *(several.search("aspirin NOT 2005[dp]", k=3) for _ in range(8))
    )
    assert {tuple(hit.doc_id for hit in ranking.hits) for ranking in rankings} == {("11", "12")}
    assert several.syntax == "pubmed"
    with pytest.raises(QuerySyntaxError):
        await several.search("aspirin AND", k=3)


def test_the_widest_and_deepest_expressions_run(engine: BooleanEngine) -> None:
    deepest = "aspirin AND stroke[ti] OR " * (MAX_LEVELS // 2) + "known"
    widest = " OR ".join(["stroke[ti]"] * (MAX_TERMS - 1) + ["known"])
    longest = '"' + "aspirin " * 2000 + '" OR known'
    results: list[list[str]] = []

    def run() -> None:  # a thread's stack may be smaller than the main one
        results.extend(ids(engine, text) for text in (deepest, widest, longest))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert results == [["11", "13"], ["11", "13"], ["13"]]


def test_truncation_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = " ".join(f"gene{n}" for n in range(50))
    BooleanEngine.build(tmp_path / "x", [Document("1", words)])
    engine = BooleanEngine.open(tmp_path / "x")
    monkeypatch.setattr(compiling, "MAX_EXPANSIONS", 99)
    assert ids(engine, "gene*") == ["1"]
    with pytest.raises(QuerySyntaxError, match="more than 99") as caught:
        engine.find("gene* OR x OR gene*[ab]", k=1)
    assert caught.value.column == 15
    assert "more letters" in caught.value.hint


def test_what_documents_say_is_never_syntax(tmp_path: Path) -> None:
    hostile = 'a) OR "b" [ti] * \x00 \ud800 <b>'
    meta: dict[str, MetaValue] = {"authors": ";;, ,", "mesh": (hostile, "/"), "journal": hostile}
    BooleanEngine.build(tmp_path / "x", [Document("1", hostile, hostile, meta), Document("2", "")])
    engine = BooleanEngine.open(tmp_path / "x")
    assert ids(engine, '"a or b ti"') == ["1"]


def test_two_builds_find_alike(tmp_path: Path, engine: BooleanEngine) -> None:
    BooleanEngine.build(tmp_path / "x", documents())
    again = BooleanEngine.open(tmp_path / "x", order="relevance")
    assert again.find("aspirin", k=3) == engine.find("aspirin", k=3, order="relevance")
    assert again.count == engine.count == 4


def test_an_empty_corpus_finds_nothing(tmp_path: Path) -> None:
    BooleanEngine.build(tmp_path / "x", [])
    engine = BooleanEngine.open(tmp_path / "x")
    assert engine.find("aspirin OR 2005[dp] OR a b[ti]", k=3).total == 0
    assert engine.find("aspirin", k=3, order="relevance").hits == ()


def test_nothing_is_built_over_something(tmp_path: Path) -> None:
    BooleanEngine.build(tmp_path / "x", [])
    with pytest.raises(StoreError, match="not empty"):
        BooleanEngine.build(tmp_path / "x", [])


def test_damage_and_other_versions_are_said(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match="cannot be read"):
        BooleanEngine.open(tmp_path / "nothing")
    folder = tmp_path / "x"
    BooleanEngine.build(folder, documents())
    content = json.loads((folder / "documents.json").read_text())
    (folder / "documents.json").write_text(json.dumps({**content, "documents": ["11"]}))
    with pytest.raises(IndexDamaged, match="its list 1"):
        BooleanEngine.open(folder)
    (folder / "documents.json").write_text(json.dumps({**content, "analysis": "old"}))
    with pytest.raises(IndexDamaged, match="another version"):
        BooleanEngine.open(folder)
    (folder / "documents.json").write_text("[]")
    with pytest.raises(IndexDamaged, match="another version"):
        BooleanEngine.open(folder)
