from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.corpus import Corpus, Problem, read_corpus
from leafward.errors import CorpusError, SettingsError


def write(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def found(corpus: Corpus) -> list[tuple[str, int | None, str]]:
    return [(p.path.name, p.line, p.kind) for p in corpus.problems]


def ids(corpus: Corpus) -> list[str]:
    return [document.id for document in corpus.documents]


def test_files_are_read_in_order_with_their_places(tmp_path: Path) -> None:
    guide = "# Guide\nintro\n## Use\n" + "Do this and then do that. " * 12
    write(tmp_path, b_txt="plain text", a__guide_md=guide, Z_TXT="upper")
    corpus = read_corpus(tmp_path, chunk_tokens=60)
    assert ids(corpus) == ["Z.TXT#0", "a/guide.md#0", "a/guide.md#1", "a/guide.md#2", "b.txt#0"]
    assert [d.title for d in corpus.documents] == ["Z", "Guide", "Guide", "Guide", "b"]
    assert [dict(d.metadata) for d in corpus.documents[1:3]] == [
        {"source": "a/guide.md", "position": 0, "section": "Guide"},
        {"source": "a/guide.md", "position": 1, "section": "Guide > Use"},
    ]
    assert dict(corpus.documents[-1].metadata) == {"source": "b.txt", "position": 0}
    words = " ".join(d.text for d in corpus.documents if d.source == "a/guide.md").split()
    assert words == guide.split()


def test_the_same_files_give_the_same_documents(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, y_txt="y", x__z_md="# z\nz", x_txt="x")
    one, two = read_corpus(tmp_path / "one"), read_corpus(tmp_path / "two")
    assert one.documents == two.documents


def test_hidden_and_foreign_files(tmp_path: Path) -> None:
    write(tmp_path, a_txt="a", _hidden_txt="h", _git__b_txt="b", picture_png=b"\x89PNG")
    write(tmp_path, notes_docx=b"PK", rows_csv="id,text\n")
    corpus = read_corpus(tmp_path)
    assert ids(corpus) == ["a.txt#0"]
    assert found(corpus) == [
        ("notes.docx", None, "unsupported"),
        ("rows.csv", None, "unsupported"),
    ]
    with pytest.raises(CorpusError, match="docx"):
        read_corpus(tmp_path, on_problem="refuse")


def test_links_are_followed_once_and_loops_end(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(root, real__a_txt="a", b_txt="b")
    write(outside, c_txt="c")
    (outside / "back").symlink_to(root)
    (root / "a-copy.txt").symlink_to(root / "real" / "a.txt")
    (root / "again").symlink_to(root / "real")
    (root / "real" / "up").symlink_to(root)
    (root / "parent").symlink_to(tmp_path)
    (root / "elsewhere").symlink_to(outside)
    (root / "self").symlink_to(root / "self")
    corpus = read_corpus(root)
    assert ids(corpus) == ["b.txt#0", "elsewhere/c.txt#0", "real/a.txt#0"]
    assert not corpus.problems


def test_a_link_to_nowhere_is_reported(tmp_path: Path) -> None:
    write(tmp_path, a_txt="a")
    (tmp_path / "b.txt").symlink_to(tmp_path / "gone.txt")
    assert found(read_corpus(tmp_path)) == [("b.txt", None, "unreadable")]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, a_txt="a")
    os.mkfifo(tmp_path / "pipe.txt")
    assert ids(read_corpus(tmp_path)) == ["a.txt#0"]


def test_bad_files_are_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path, bad_txt=b"one\ntwo\nthr\xffee", blank_md=" \n\n", good_txt="text")
    corpus = read_corpus(tmp_path)
    assert ids(corpus) == ["good.txt#0"]
    assert found(corpus) == [("bad.txt", 3, "undecodable"), ("blank.md", None, "empty-text")]
    with pytest.raises(CorpusError, match=r"bad\.txt:3") as caught:
        read_corpus(tmp_path, on_problem="refuse")
    assert "UTF-8" in caught.value.hint


def test_marks_and_line_ends(tmp_path: Path) -> None:
    write(tmp_path, a_txt=b"\xef\xbb\xbfone\r\ntwo\rthree", b_txt="größe\n".encode("utf-16"))
    write(tmp_path, c_txt=b"\xff\xfea")
    corpus = read_corpus(tmp_path)
    assert [d.text for d in corpus.documents] == ["one\ntwo\nthree", "größe"]
    assert found(corpus) == [("c.txt", 1, "undecodable")]


def test_strange_names_make_clean_ids(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf" + b"\xe9\n.txt")
    try:
        (tmp_path / name).write_text("x")
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")
    (document,) = read_corpus(tmp_path).documents
    assert document.id == "caf%E9%0A.txt#0"
    assert document.title == "caf%E9"


def test_one_file_is_a_corpus(tmp_path: Path) -> None:
    write(tmp_path, a_md="# T\nx")
    assert ids(read_corpus(tmp_path / "a.md")) == ["a.md#0"]


def test_nothing_to_read_says_what_could_be(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file") as missing:
        read_corpus(tmp_path / "gone")
    assert "corpus.jsonl" in missing.value.hint
    with pytest.raises(CorpusError, match="nothing to read") as empty:
        read_corpus(tmp_path)
    assert ".pdf" in empty.value.hint
    write(tmp_path, only_txt=b"\xff")
    with pytest.raises(CorpusError, match="nothing to read") as unreadable:
        read_corpus(tmp_path)
    assert "only.txt:1" in unreadable.value.hint
    write(tmp_path, a_exe="x")
    with pytest.raises(CorpusError, match=r"\.exe"):
        read_corpus(tmp_path / "a.exe")


@given(st.binary(max_size=200), st.sampled_from(["a.txt", "a.md", "a.MARKDOWN"]))
def test_any_bytes_are_read_or_reported(content: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / name).write_bytes(content)
        (path / "z.txt").write_text("last")
        corpus = read_corpus(path, chunk_tokens=5)
    assert corpus.documents[-1].id == "z.txt#0"
    assert (len(corpus.documents) > 1) != bool(corpus.problems)


def test_problems_print_on_one_line() -> None:
    problem = Problem(Path("a\n\x1b[2J\udce9.txt"), 3, "undecodable", "not UTF-8")
    assert str(problem) == r"a\n\x1b[2J\udce9.txt:3: not UTF-8 [undecodable]"
    assert str(Problem(Path("ü"), None, "unreadable", "gone")) == "ü: gone [unreadable]"


def test_chunk_tokens_has_a_lower_bound(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        read_corpus(tmp_path, chunk_tokens=0)
