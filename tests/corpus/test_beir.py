from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from leafward.corpus import Problem, read_corpus, read_qrels, read_queries, splits
from leafward.errors import CorpusError
from leafward.types import Qrel


def beir(folder: Path, *, queries: str = "", qrels: str = "", packed: bool = False) -> Path:
    (folder / "qrels").mkdir()
    files = {
        "corpus.jsonl": '{"_id": "d1", "text": "one"}\n{"_id": "d2", "text": "two"}\n',
        "queries.jsonl": queries,
        "qrels/test.tsv": qrels,
    }
    for name, content in files.items():
        path = folder / (f"{name}.gz" if packed else name)
        path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    return folder


@pytest.mark.parametrize("packed", [False, True])
def test_plain_and_gzipped(tmp_path: Path, packed: bool) -> None:
    folder = beir(
        tmp_path,
        queries='{"_id": "q1", "text": "which?", "reasoning": "x"}\n',
        qrels="query-id\tcorpus-id\tscore\nq1\td2\t2\nq1\td1\t0\n",
        packed=packed,
    )
    assert [document.id for document in read_corpus(folder).documents] == ["d1", "d2"]
    assert [(query.id, query.text) for query in read_queries(folder)] == [("q1", "which?")]
    assert read_qrels(folder, "test") == (Qrel("q1", "d2", 2), Qrel("q1", "d1", 0))


def excluded(folder: Path, value: object) -> frozenset[str]:
    row = {"_id": "q", "text": "x", "excluded_ids": value}
    (folder / "queries.jsonl").write_text(json.dumps(row))
    (query,) = read_queries(folder)
    return query.excluded_ids


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (["a", "b"], {"a", "b"}),
        ("['a', 'b']", {"a", "b"}),
        ('["a\'s", 7]', {"a's", "7"}),
        ("{'a'}", {"a"}),
        (r"['x\mu', 'b\nc']", {r"x\mu", "b%0Ac"}),
        ("[]", set()),
        ("", set()),
        ("None", set()),
        (None, set()),
        (["a\nb"], {"a%0Ab"}),
    ],
)
def test_excluded_ids_as_list_or_literal(tmp_path: Path, value: object, ids: set[str]) -> None:
    assert excluded(tmp_path, value) == ids


@pytest.mark.parametrize(
    "value",
    [
        "__import__('os')",
        "['a'",
        "a, b c",
        "'a'",
        5,
        {"a": 1},
        [["a"]],
        [None],
        "[" * 9999,
        "-" * 9999 + "1",
        "[1.5]",
    ],
)
def test_excluded_ids_that_are_no_list_are_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(CorpusError, match="excluded_ids") as caught:
        excluded(tmp_path, value)
    assert caught.value.line == 1


def test_bad_queries_are_reported_when_skipped(tmp_path: Path) -> None:
    lines = ['{"_id": "q1", "text": "a"}', "{", '{"_id": "q1", "text": "b"}', '{"_id": "q2"}']
    folder = beir(tmp_path, queries="\n".join(lines))
    problems: list[Problem] = []
    queries = read_queries(folder, on_problem="skip", problems=problems)
    assert [query.id for query in queries] == ["q1"]
    assert [(p.line, p.kind) for p in problems] == [
        (2, "broken-line"),
        (3, "duplicate-id"),
        (4, "empty-text"),
    ]
    with pytest.raises(CorpusError, match=r"queries\.jsonl:2"):
        read_queries(folder)


QRELS = "query-id\tcorpus-id\tscore\nq\td\t1\nq\td2\tx\nq\nq\t\t1\nq\td\t1\n\nq\td3\t1.5\nq\td4\t-1"


def test_bad_judgements_are_reported_when_skipped(tmp_path: Path) -> None:
    folder = beir(tmp_path, qrels=QRELS)
    problems: list[Problem] = []
    qrels = read_qrels(folder, "test", on_problem="skip", problems=problems)
    assert qrels == (Qrel("q", "d", 1), Qrel("q", "d4", -1))
    assert [(p.line, p.kind) for p in problems] == [
        (3, "broken-line"),
        (4, "broken-line"),
        (5, "broken-line"),
        (6, "duplicate-id"),
        (8, "broken-line"),
    ]
    with pytest.raises(CorpusError, match=r"test\.tsv:3"):
        read_qrels(folder, "test")


@pytest.mark.parametrize(
    "content",
    [
        "q\td\t1\n",
        "corpus-id\tscore\tquery-id\nd\t1\tq\n",
        "Query_ID\tCORPUS_ID\tScore\nq\td\t1\n",
        "topic\tdoc\trel\r\nq\td\t1\r\n",
    ],
)
def test_headers_in_any_form(tmp_path: Path, content: str) -> None:
    assert read_qrels(beir(tmp_path, qrels=content), "test") == (Qrel("q", "d", 1),)


@pytest.mark.parametrize("split", ["dev", "../corpus", "", "test.tsv", "\n"])
def test_an_unknown_split_names_those_there_are(tmp_path: Path, split: str) -> None:
    folder = beir(tmp_path)
    (folder / "qrels" / "train.tsv").write_text("")
    with pytest.raises(CorpusError, match="split") as caught:
        read_qrels(folder, split)
    assert "test, train" in caught.value.hint


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"queries\.jsonl"):
        read_queries(tmp_path)
    with pytest.raises(CorpusError, match="qrels") as caught:
        read_qrels(tmp_path, "test")
    assert "qrels/test.tsv" in caught.value.hint


@pytest.mark.real_data
def test_scifact(scifact: Path) -> None:
    corpus = read_corpus(scifact, on_problem="refuse")
    assert len(corpus.documents) == 5183
    qrels = read_qrels(scifact, "test")
    asked = {qrel.query_id for qrel in qrels}
    assert len(asked) == 300
    assert asked <= {query.id for query in read_queries(scifact)}
    assert {qrel.doc_id for qrel in qrels} <= {document.id for document in corpus.documents}
    assert list(splits(scifact)) == ["test", "train"]


@pytest.mark.real_data
def test_theoremqa_exclusions(theoremqa: Path) -> None:
    known = {document.id for document in read_corpus(theoremqa, on_problem="refuse").documents}
    queries = read_queries(theoremqa)
    assert (len(known), len(queries)) == (1231, 194)
    barred = {query.id: query.excluded_ids for query in queries}
    assert sum(map(bool, barred.values())) > 150
    assert sum(len(ids & known) for ids in barred.values()) > 1000
    assert not any(q.doc_id in barred[q.query_id] for q in read_qrels(theoremqa, "test"))


@pytest.mark.real_data
def test_the_one_unreadable_page_title_is_reported(biology: Path) -> None:
    corpus = read_corpus(biology)
    assert len(corpus.documents) + len(corpus.problems) == 477
    assert {problem.kind for problem in corpus.problems} <= {"empty-text"}
