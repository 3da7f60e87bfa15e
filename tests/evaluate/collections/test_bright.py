"""BRIGHT folders: tasks, exclusions, variants of queries, long documents, what is relevant."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import data_set

from leafward.errors import CorpusError, MissingExtra
from leafward.evaluate import read_collection
from leafward.types import Document

EXAMPLE: dict[str, Any] = {
    "query": "Why do moths circle lamps?",
    "reasoning": "",
    "id": "0",
    "excluded_ids": ["N/A"],
    "gold_ids": ["light/a.txt", "light/b.txt"],
    "gold_ids_long": ["light.txt"],
    "gold_answer": "",
}
DOCUMENTS = [{"id": "light/a.txt", "content": "dorsal light"}, {"id": "x", "content": "other"}]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        with gzip.open(path, "wt") as file:
            file.write(text)
    else:
        path.write_text(text)


@pytest.fixture
def bright(tmp_path: Path) -> Path:
    folder = tmp_path / "bright"
    second = {**EXAMPLE, "id": "1", "excluded_ids": "['x', 'y']", "gold_ids": "['light/a.txt']"}
    write(folder / "examples" / "biology.jsonl", [EXAMPLE, second])
    write(folder / "examples" / "aops.jsonl.gz", [{**EXAMPLE, "gold_ids_long": ["N/A"]}])
    write(folder / "documents" / "biology-00000-of-00002.jsonl", DOCUMENTS[:1])
    write(folder / "documents" / "biology-00001-of-00002.jsonl", DOCUMENTS[1:])
    write(folder / "long_documents" / "biology.jsonl", [{"id": "light.txt", "content": "long"}])
    reasoned = [{**EXAMPLE, "query": f"thought {i}", "id": str(i)} for i in range(2)]
    write(folder / "gpt4_reason" / "biology.jsonl", reasoned)
    return folder


def test_a_task_is_read_with_all_that_belongs_to_it(bright: Path) -> None:
    found = read_collection(bright, split="biology")
    assert (found.name, found.split) == ("bright-biology", "biology")
    assert found.documents == (
        Document("light/a.txt", "dorsal light"),
        Document("x", "other"),
    )
    assert [query.text for query in found.queries] == [EXAMPLE["query"]] * 2
    assert [query.excluded_ids for query in found.queries] == [frozenset(), frozenset({"x", "y"})]
    assert found.qrels == {"0": {"light/a.txt": 1, "light/b.txt": 1}, "1": {"light/a.txt": 1}}


def test_what_is_relevant_depends_on_the_task(bright: Path) -> None:
    biology = read_collection(bright, split="biology").queries[0].relevance
    aops = read_collection(bright, split="aops", documents=False).queries[0].relevance
    assert "post" in biology
    assert "theorem" in aops


def test_reasoned_queries_take_the_place_of_the_posts(bright: Path) -> None:
    found = read_collection(bright, split="biology", variant="gpt4_reason")
    assert [query.text for query in found.queries] == ["thought 0", "thought 1"]
    assert found.queries[1].excluded_ids == {"x", "y"}
    assert found.name == "bright-biology-gpt4_reason"


def test_long_documents_have_their_own_gold(bright: Path) -> None:
    found = read_collection(bright, split="biology", variant="long")
    assert found.documents == (Document("light.txt", "long"),)
    assert found.qrels == {"0": {"light.txt": 1}, "1": {"light.txt": 1}}
    both = read_collection(bright, split="biology", variant="long+gpt4_reason")
    assert both.qrels == found.qrels
    assert both.queries[0].text == "thought 0"


def test_a_task_without_long_documents_says_so(bright: Path) -> None:
    with pytest.raises(CorpusError, match="gold_ids_long"):
        read_collection(bright, split="aops", variant="long")


def test_documents_may_be_left_unread_or_be_absent(bright: Path, tmp_path: Path) -> None:
    assert read_collection(bright, split="biology", documents=False).documents == ()
    write(tmp_path / "bare" / "examples" / "pony.jsonl", [EXAMPLE])
    assert read_collection(tmp_path / "bare", split="pony").documents == ()
    with pytest.raises(CorpusError, match="no task 'aops'"):  # others are there
        read_collection(bright, split="aops")


def test_an_unknown_task_or_variant_is_told_what_there_is(bright: Path) -> None:
    with pytest.raises(CorpusError) as caught:
        read_collection(bright)
    assert "aops, biology" in caught.value.hint
    with pytest.raises(CorpusError) as caught:
        read_collection(bright, split="biology", variant="gpt5_reason")
    assert "gpt4_reason" in caught.value.hint
    with pytest.raises(CorpusError, match="no variant"):
        read_collection(bright, split="biology", variant="../bright/gpt4_reason")


def test_a_variant_with_a_hole_is_refused(bright: Path) -> None:
    write(bright / "gpt4_reason" / "biology.jsonl", [EXAMPLE])
    with pytest.raises(CorpusError, match="no text for query '1'"):
        read_collection(bright, split="biology", variant="gpt4_reason")


def test_a_query_may_not_exclude_its_own_gold(bright: Path) -> None:
    write(bright / "examples" / "biology.jsonl", [{**EXAMPLE, "excluded_ids": ["light/b.txt"]}])
    with pytest.raises(CorpusError, match=r"query '0' excludes document 'light/b.txt'"):
        read_collection(bright, split="biology")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"gold_ids": 5}, "gold_ids is a number"),
        ({"gold_ids": "not a list"}, "gold_ids is no list"),
        ({"query": " "}, "no text"),
        ({"id": None}, "no id"),
    ],
)
def test_a_broken_example_is_refused_with_its_line(
    bright: Path, change: dict[str, Any], told: str
) -> None:
    write(bright / "examples" / "biology.jsonl", [EXAMPLE, {**EXAMPLE, "id": "1", **change}])
    with pytest.raises(CorpusError) as caught:
        read_collection(bright, split="biology")
    assert told in caught.value.message
    assert caught.value.line == 2


def test_a_broken_document_is_refused_and_an_empty_one_passed_over(bright: Path) -> None:
    path = bright / "documents" / "biology.jsonl"
    write(path, [{"id": "empty", "content": ""}])
    assert len(read_collection(bright, split="biology").documents) == 2
    write(path, [{"id": "x", "content": "twice"}])
    with pytest.raises(CorpusError, match="id 'x' is used again"):
        read_collection(bright, split="biology")
    skipping = read_collection(bright, split="biology", on_problem="skip")
    assert len(skipping.documents) == 2


def test_parquet_needs_its_extra(bright: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bright / "examples" / "pony-00000-of-00001.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra) as caught:
        read_collection(bright, split="pony")
    assert "leafward[parquet]" in caught.value.hint


def test_parquet_is_read_where_it_can_be(bright: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow (extra: parquet) is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.Table.from_pylist([EXAMPLE])
    parquet.write_table(table, bright / "examples" / "pony-00000-of-00001.parquet")
    found = read_collection(bright, split="pony", documents=False)
    assert found.qrels == {"0": {"light/a.txt": 1, "light/b.txt": 1}}
    (bright / "examples" / "pony-00000-of-00001.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(CorpusError, match="Parquet"):
        read_collection(bright, split="pony", documents=False)


@pytest.mark.real_data
def test_all_tasks_of_bright() -> None:
    folder = data_set("bright_eval_fixture")
    tasks = sorted(path.name.split(".")[0] for path in (folder / "topics_original").iterdir())
    found = [read_collection(folder, split=task) for task in tasks]
    assert sum(len(one.queries) for one in found) == 1384
    assert sum(len(gold) for one in found for gold in one.qrels.values()) == 7618
    assert all(query.relevance for one in found for query in one.queries)
    assert not any("N/A" in query.excluded_ids for one in found for query in one.queries)
    excluding = {one.split for one in found if any(q.excluded_ids for q in one.queries)}
    assert excluding == {"leetcode", "aops", "theoremqa_questions"}


@pytest.mark.real_data
def test_rewrites_of_all_tasks() -> None:
    folder = data_set("bright_eval_fixture")
    plain = read_collection(folder, split="economics")
    rewritten = read_collection(folder, split="economics", variant="tongsearch_qr_7b")
    assert rewritten.qrels == plain.qrels
    pairs = zip(rewritten.queries, plain.queries, strict=True)
    assert all(new.text != old.text and new.id == old.id for new, old in pairs)
