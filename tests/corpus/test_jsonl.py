from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leafward.corpus import Corpus, read_corpus
from leafward.errors import CorpusError
from leafward.types import Document

GOOD = b'{"_id": "good", "text": "some text"}\n'


def read(folder: Path, content: bytes, name: str = "rows.jsonl") -> Corpus:
    path = folder / name
    path.write_bytes(content)
    return read_corpus(path)


def found(corpus: Corpus) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.kind) for problem in corpus.problems]


def test_fields_and_their_aliases(tmp_path: Path) -> None:
    rows = [
        {"_id": "a", "title": "T", "text": "x"},
        {"id": 7, "contents": "y", "title": 1984},
        {"doc_id": "c", "body": "z"},
        {"_id": None, "id": "d", "text": None, "body": "w"},
    ]
    corpus = read(tmp_path, "\n".join(json.dumps(row) for row in rows).encode())
    shown = [(d.id, d.title, d.text) for d in corpus.documents]
    assert shown == [("a", "T", "x"), ("7", "1984", "y"), ("c", "", "z"), ("d", "", "w")]
    assert not corpus.problems


def test_metadata_keeps_what_filters_can_use(tmp_path: Path) -> None:
    row = (
        '{"_id": "a", "text": "x", "year": 2020, "share": 0.5, "open": true, "none": null,'
        ' "tags": ["p", "q"], "mixed": [1, "b"], "deep": {"k": ["ü"]}, "nan": NaN, "inf": 1e999,'
        ' "metadata": {"url": "u", "year": 1}}'
    )
    (document,) = read(tmp_path, row.encode()).documents
    assert document.metadata == {
        "year": 2020,
        "share": 0.5,
        "open": True,
        "none": None,
        "tags": ("p", "q"),
        "mixed": '[1, "b"]',
        "deep": '{"k": ["ü"]}',
        "nan": None,
        "inf": None,
        "url": "u",
    }


BROKEN = [
    (b'{"_id": "b", "text": "x"', "broken-line"),
    (b'["_id", "b"]', "broken-line"),
    (b"[" * 100_000, "broken-line"),
    (b'{"_id": "b", "text": "x", "n": ' + b"9" * 5000 + b"}", "broken-line"),
    (b'{"text": "no id"}', "broken-line"),
    (b'{"_id": "  ", "text": "x"}', "broken-line"),
    (b'{"_id": true, "text": "x"}', "broken-line"),
    (b'{"_id": 1.5, "text": "x"}', "broken-line"),
    (b'{"_id": ["b"], "text": "x"}', "broken-line"),
    (b'{"_id": "b", "text": ["x"]}', "broken-line"),
    (b'{"_id": "b", "text": 5}', "broken-line"),
    (b'{"_id": "b", "text": "x", "title": {}}', "broken-line"),
    (b'{"_id": "b", "text": " \\n "}', "empty-text"),
    (b'{"_id": "b"}', "empty-text"),
    (b'{"_id": "good", "text": "other"}', "duplicate-id"),
    (b'{"_id": "b", "text": "caf\xe9"}', "undecodable"),
    (b'{"_id": "b", "text": "half \\ud83d"}', "undecodable"),
    (b'{"_id": "b", "text": "x", "k\\uDC00": 1}', "undecodable"),
    (b"\x00\x01\x02", "broken-line"),
]


@pytest.mark.parametrize(("line", "kind"), BROKEN)
def test_a_bad_line_is_reported_and_the_rest_is_read(
    tmp_path: Path, line: bytes, kind: str
) -> None:
    corpus = read(tmp_path, GOOD + b"\n" + line + b'\n{"_id": "after", "text": "x"}')
    assert [document.id for document in corpus.documents] == ["good", "after"]
    assert found(corpus) == [(3, kind)]
    assert corpus.problems[0].path == tmp_path / "rows.jsonl"


@pytest.mark.parametrize(("line", "kind"), BROKEN)
def test_a_bad_line_is_refused(tmp_path: Path, line: bytes, kind: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(GOOD + line)
    with pytest.raises(CorpusError, match=r"rows\.jsonl:2") as caught:
        read_corpus(path, on_problem="refuse")
    assert caught.value.line == 2
    assert caught.value.hint


def test_a_title_alone_is_a_document(tmp_path: Path) -> None:
    corpus = read(tmp_path, b'{"_id": "a", "title": "Only a title", "text": ""}')
    assert corpus.documents == (Document("a", "", "Only a title"),)


def test_a_pair_of_escapes_is_one_character(tmp_path: Path) -> None:
    (document,) = read(tmp_path, b'{"_id": "a", "text": "\\ud83d\\ude00"}').documents
    assert document.text == "\N{GRINNING FACE}"


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    corpus = read(tmp_path, b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"))
    assert [document.id for document in corpus.documents] == ["good"]
    assert not corpus.problems


def test_utf16_is_one_problem(tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as caught:
        read(tmp_path, GOOD.decode().encode("utf-16"))
    assert "UTF-16" in caught.value.hint


def test_ids_with_control_characters_are_escaped(tmp_path: Path) -> None:
    corpus = read(tmp_path, b'{"_id": "a\\nb\\u001b", "text": "x"}\n{"_id": "a%0Ab%1B","text":"y"}')
    assert [document.id for document in corpus.documents] == ["a%0Ab%1B"]
    assert found(corpus) == [(2, "duplicate-id")]
    assert "first in line 1" in corpus.problems[0].message


def test_gzip_that_breaks_off_keeps_what_was_read(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"_id": str(n), "text": f"text {n}"}) + "\n" for n in range(9000))
    packed = gzip.compress(rows.encode())
    assert len(read(tmp_path, packed, "rows.jsonl.gz").documents) == 9000
    corpus = read(tmp_path, packed[: len(packed) // 2], "rows.jsonl.gz")
    assert 0 < len(corpus.documents) < 9000
    assert found(corpus)[-1][1] == "unreadable"


def test_damaged_gzip_is_an_error_with_a_hint(tmp_path: Path) -> None:
    for content in (b"not gzip at all", gzip.compress(GOOD)[:-12] + b"\xff" * 12):
        with pytest.raises(CorpusError, match="nothing to read") as caught:
            read(tmp_path, content, "rows.jsonl.gz")
        assert "unreadable" in caught.value.hint


def test_nesting_is_read_or_reported_at_every_depth(tmp_path: Path) -> None:
    depths = range(1, 1300, 3)
    lines = [
        f'{{"_id": "{n}", "text": "x", "deep": {"[" * n}"\\ud83d\\ude00"{"]" * n}}}' for n in depths
    ]
    corpus = read(tmp_path, GOOD + "\n".join(lines).encode())
    assert len(corpus.documents) + len(corpus.problems) == 1 + len(lines)
    assert {problem.kind for problem in corpus.problems} <= {"broken-line"}


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_reported(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = read(Path(folder), GOOD + content + b"\n" + GOOD)
    assert corpus.documents[0].id == "good"
    assert all(problem.line for problem in corpus.problems)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["_id", "id", "text", "title", "body", "metadata", "source"]) | st.text()


@settings(max_examples=40)
@given(st.lists(st.dictionaries(KEYS, JSON, max_size=6), max_size=8))
def test_any_objects_are_read_or_reported(rows: list[dict[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lines = GOOD + "\n".join(json.dumps(row) for row in rows).encode()
        corpus = read(Path(folder), lines)
    assert len(corpus.documents) + len(corpus.problems) == 1 + len(rows)
    assert len({document.id for document in corpus.documents}) == len(corpus.documents)
    for document in corpus.documents:
        json.dumps(dict(document.metadata), allow_nan=False, ensure_ascii=False).encode()
