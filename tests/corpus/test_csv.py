from __future__ import annotations

import csv
import gzip
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.corpus import Corpus, read_corpus
from leafward.errors import CorpusError


def read(folder: Path, content: bytes, name: str = "rows.csv") -> Corpus:
    path = folder / name
    path.write_bytes(content)
    return read_corpus(path)


def found(corpus: Corpus) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.kind) for problem in corpus.problems]


def test_columns_become_fields(tmp_path: Path) -> None:
    content = b'ID,Title,Text,year,Position\n007,"A, B","two\nlines",2020,3\n8,,x,,\n'
    one, two = read(tmp_path, content).documents
    assert (one.id, one.title, one.text) == ("007", "A, B", "two\nlines")
    assert one.metadata == {"year": "2020", "position": 3}
    assert (two.id, two.title, two.metadata) == ("8", "", {})


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_mark_and_line_ends(tmp_path: Path, delimiter: str) -> None:
    content = "_id,text\r\na,x\r\n\r\nb,y".replace(",", delimiter)
    corpus = read(tmp_path, b"\xef\xbb\xbf" + content.encode())
    assert [(d.id, d.text) for d in corpus.documents] == [("a", "x"), ("b", "y")]
    assert not corpus.problems


def test_large_fields_and_the_limit_is_put_back(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    corpus = read(tmp_path, gzip.compress(b"id,text\na," + b"word " * 100_000), "rows.csv.gz")
    assert len(corpus.documents[0].text) == 500_000
    assert csv.field_size_limit() == before


def test_bad_rows_are_reported_where_they_start(tmp_path: Path) -> None:
    content = b'id,text\na,"one\ntwo"\nb\nc,x,y\n,no id\nd,\na,again\ne,caf\xe9\nf,"x"y\ng,fine\n'
    corpus = read(tmp_path, content)
    assert [document.id for document in corpus.documents] == ["a", "g"]
    assert found(corpus) == [
        (4, "broken-line"),
        (5, "broken-line"),
        (6, "broken-line"),
        (7, "empty-text"),
        (8, "duplicate-id"),
        (9, "undecodable"),
        (10, "broken-line"),
    ]


def test_a_quote_that_never_closes_costs_one_row(tmp_path: Path) -> None:
    rows = "".join(f"r{n},text {n}\n" for n in range(50))
    corpus = read(tmp_path, f'id,text\nbad,"open\n{rows}'.encode())
    assert len(corpus.documents) == 50
    assert found(corpus) == [(2, "broken-line")]


def test_a_stray_quote_before_a_quoted_row_costs_one_row(tmp_path: Path) -> None:
    corpus = read(tmp_path, b'id,text\nbad,"open\nb,plain\nc,"quoted, field"\nd,x\n')
    assert [document.id for document in corpus.documents] == ["b", "c", "d"]
    assert found(corpus) == [(2, "broken-line")]


@pytest.mark.parametrize("header", [b"name,text", b"id,words", b"\n", b'"', b"id,t\xe9xt,text"])
def test_a_header_without_the_columns_is_refused(tmp_path: Path, header: bytes) -> None:
    with pytest.raises(CorpusError, match="rows") as caught:
        read(tmp_path, header + b"\na,b\n")
    assert caught.value.line == 1
    assert caught.value.hint


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="nothing to read"):
        read(tmp_path, b"")


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1).map(
    lambda cell: "x" + cell
)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=10, unique_by=lambda r: r[0].strip()))
def test_what_csv_writes_is_read_back(rows: list[tuple[str, str]]) -> None:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([("id", "text"), *((f"{n}", t) for n, (_, t) in enumerate(rows))])
    with tempfile.TemporaryDirectory() as folder:
        corpus = read(Path(folder), buffer.getvalue().encode())
    assert [d.text for d in corpus.documents] == [text for _, text in rows]
    assert not corpus.problems


@given(st.lists(st.sampled_from([b'"', b",", b"\n", b"\r", b"a", b"\xff", b"\x00", b"\xc3\xa9"])))
def test_any_bytes_are_read_or_reported(parts: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = read(Path(folder), b"id,text\nfirst,x\n" + b"".join(parts))
    assert corpus.documents[0].id == "first"
    lines = [problem.line or 0 for problem in corpus.problems]
    assert lines == sorted(set(lines))
    assert all(line > 2 for line in lines)
