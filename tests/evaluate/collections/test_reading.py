"""Reading BEIR folders, one's own queries, and the ir_datasets catalogue."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from tests.conftest import data_set

from leafward.errors import CorpusError, LeafwardError, MissingExtra, SettingsError
from leafward.evaluate import read_collection
from leafward.types import Document, Query


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "beir set"
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": "d1", "text": "one"}, {"_id": "d2", "title": "two", "text": ""}]
    (folder / "corpus.jsonl").write_text(lines(*corpus, {"_id": "d3", "text": ""}))
    queries = [{"_id": f"q{i}", "text": f"need {i}"} for i in range(3)]
    queries[1]["excluded_ids"] = ["d2"]  # type: ignore[assignment]
    (folder / "queries.jsonl").write_text(lines(*queries))
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq2\td1\t2\nq1\td1\t1\nq1\td2\t0\n"
    )
    return folder


def test_a_beir_folder(beir: Path) -> None:
    found = read_collection(beir)
    assert (found.name, found.split) == ("beir set", "test")
    assert found.documents == (Document("d1", "one"), Document("d2", "", "two"))
    assert found.queries == (
        Query("q1", "need 1", excluded_ids=frozenset({"d2"})),
        Query("q2", "need 2"),
    )
    assert found.qrels == {"q2": {"d1": 2}, "q1": {"d1": 1, "d2": 0}}
    assert read_collection(str(beir), documents=False).documents == ()


def test_a_split_that_is_not_there_is_told_those_that_are(beir: Path) -> None:
    with pytest.raises(CorpusError) as caught:
        read_collection(beir, split="dev")
    assert "test" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("corpus.jsonl", '{"_id": "d1", "text": "one"}\nnot json\n'),
        ("corpus.jsonl", lines({"_id": "d1", "text": "a"}, {"_id": "d1", "text": "b"})),
        ("queries.jsonl", lines({"_id": "q1", "text": ""})),
        ("qrels/test.tsv", "q1\td1\thigh\nq1\td2\n"),
    ],
)
def test_a_hole_in_a_collection_is_refused(beir: Path, name: str, text: str) -> None:
    (beir / name).write_text(text)
    with pytest.raises(CorpusError) as caught:
        read_collection(beir)
    assert caught.value.hint
    if name == "corpus.jsonl":
        assert read_collection(beir, on_problem="skip").documents
        assert read_collection(beir, documents=False).queries


def test_a_variant_is_for_bright_alone(beir: Path) -> None:
    with pytest.raises(CorpusError, match="variant"):
        read_collection(beir, variant="gpt4_reason")


@pytest.mark.parametrize("name", ["nowhere", "empty", "plain.txt"])
def test_what_is_no_collection_is_told_what_would_be(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain.txt").write_text("text")
    with pytest.raises(CorpusError) as caught:
        read_collection(tmp_path / name)
    assert "BEIR" in caught.value.hint
    assert "relevant" in caught.value.hint


OWN = (
    {"id": 1, "text": "first need", "relevant": ["a.md#0"]},
    {"id": "2", "query": "second", "relevant": {"a.md#0": 2, "b": 0}, "excluded_ids": ["c"]},
    {"id": "3", "text": "held out", "relevant": ["b"], "split": "train"},
)


def test_ones_own_queries_beside_a_folder_of_texts(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(lines(*OWN))
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.md").write_text("# Title\n\nSome text.\n")
    found = read_collection(tmp_path)
    assert found.queries == (
        Query("1", "first need"),
        Query("2", "second", excluded_ids=frozenset({"c"})),
    )
    assert found.qrels == {"1": {"a.md#0": 1}, "2": {"a.md#0": 2, "b": 0}}
    assert [document.id for document in found.documents] == ["a.md#0"]
    assert [query.id for query in read_collection(tmp_path, split="train").queries] == [
        "1",
        "2",
        "3",
    ]


def test_ones_own_queries_in_a_file_of_any_name(tmp_path: Path) -> None:
    (tmp_path / "asked.jsonl").write_text(lines(OWN[0]))
    (tmp_path / "corpus.csv").write_text("id,text\na.md#0,words\n")
    found = read_collection(tmp_path / "asked.jsonl")
    assert found.documents == (Document("a.md#0", "words"),)
    assert found.name == tmp_path.name


def test_queries_without_a_corpus_are_for_an_index(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(lines(*OWN))
    with pytest.raises(CorpusError, match="no corpus beside") as caught:
        read_collection(tmp_path)
    assert "index" in caught.value.hint
    assert len(read_collection(tmp_path, documents=False).queries) == 2


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "1", "text": "x"}, "names no relevant document"),
        ({"id": "1", "text": "x", "relevant": []}, "names no relevant document"),
        ({"id": "1", "text": "x", "relevant": {"d": 0.5}}, "no whole number"),
        ({"id": "1", "text": "x", "relevant": {"d": True}}, "no whole number"),
        ({"id": "1", "text": "x", "relevant": 7}, "relevant is a number"),
        ({"id": "1", "relevant": ["d"]}, "no text"),
        ({"id": "1", "text": "x", "relevant": ["d"], "excluded_ids": ["d"]}, "excludes document"),
        ({"id": "9", "text": "x", "relevant": ["d"]}, "id '9' is used again"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused(
    tmp_path: Path, row: dict[str, Any], told: str
) -> None:
    good = {"id": "9", "text": "x", "relevant": ["d"]}
    (tmp_path / "queries.jsonl").write_text(lines(good, row))
    with pytest.raises(CorpusError) as caught:
        read_collection(tmp_path, documents=False)
    assert told in caught.value.message


def test_no_query_of_a_split_is_told(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(lines(OWN[2]))
    with pytest.raises(CorpusError, match="no query of the split 'test'"):
        read_collection(tmp_path, documents=False)


class Text(NamedTuple):
    doc_id: str
    title: str
    text: str

    def default_text(self) -> str:
        return f"{self.title} {self.text}"


class Bare(NamedTuple):
    doc_id: str

    def default_text(self) -> str:
        return "all there is"


class Asked(NamedTuple):
    query_id: str
    text: str

    def default_text(self) -> str:
        return self.text


class Judged(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class Catalogue:
    """What ``ir_datasets.load`` returns, as far as it is used."""

    def __init__(self, *parts: str, error: Exception | None = None) -> None:
        self._parts = parts
        self._error = error

    def has(self, part: str) -> bool:
        return part in self._parts

    def docs_iter(self) -> Iterator[Text | Bare]:
        yield from (Text("d1", "Title", "words"), Bare("d2"))

    def queries_iter(self) -> Iterator[Asked]:
        yield from (Asked("q1", "need"), Asked("unjudged", "other"))

    def qrels_iter(self) -> Iterator[Judged]:
        if self._error is not None:
            raise self._error
        yield Judged("q1", "d1", 2)


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> dict[str, Catalogue]:
    entries = {"set/test": Catalogue("docs", "queries", "qrels")}
    module = ModuleType("ir_datasets")
    module.load = entries.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    return entries


@pytest.mark.usefixtures("catalogue")
def test_a_collection_of_the_catalogue() -> None:
    found = read_collection("irds:set/test")
    assert found.name == "irds:set/test"
    assert found.documents == (Document("d1", "words", "Title"), Document("d2", "all there is"))
    assert found.queries == (Query("q1", "need"),)
    assert found.qrels == {"q1": {"d1": 2}}
    assert read_collection("irds:set/test", documents=False).documents == ()


def test_what_the_catalogue_lacks_is_told(catalogue: dict[str, Catalogue]) -> None:
    with pytest.raises(SettingsError, match="'set/dev'"):
        read_collection("irds:set/dev")
    catalogue["set"] = Catalogue("docs")
    with pytest.raises(CorpusError, match="no queries and no qrels"):
        read_collection("irds:set")


@pytest.mark.parametrize("error", [RuntimeError("all sources failed"), ConnectionError("offline")])
def test_a_download_that_fails_is_told(catalogue: dict[str, Catalogue], error: Exception) -> None:
    catalogue["far"] = Catalogue("docs", "queries", "qrels", error=error)
    with pytest.raises(CorpusError, match=str(error)) as caught:
        read_collection("irds:far")
    assert "network" in caught.value.hint


def test_without_ir_datasets_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingExtra) as caught:
        read_collection("irds:beir/scifact/test")
    assert "leafward[irds]" in caught.value.hint


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "documents", "queries"),
    [
        ("scifact", 5183, 300),
        ("cranfield", 1398, 225),
        ("bright_theoremqa_questions_mini", 1231, 194),
    ],
)
def test_real_collections(name: str, documents: int, queries: int) -> None:
    found = read_collection(data_set(name))
    assert (len(found.documents), len(found.queries)) == (documents, queries)
    assert found.qrels.keys() == {query.id for query in found.queries}


def test_every_refusal_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_bytes(b"\xff\xfe{}\n")
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "biology.jsonl").write_bytes(b"\0\0\0")
    for source in (tmp_path, tmp_path / "queries.jsonl", "", "."):
        with pytest.raises(LeafwardError):
            read_collection(source, split="biology")
