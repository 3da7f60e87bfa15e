"""Whatever is published verifies; whatever is then changed is named."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.making import five, make, unit

from leafward.errors import IndexNotFound
from leafward.store import BuildMeta, Store, verify
from leafward.types import Branch, Document, Tree, number

CORPORA = st.dictionaries(
    st.text(max_size=6),
    st.tuples(
        st.text(max_size=20),
        st.text(max_size=5),
        st.dictionaries(
            st.text(max_size=3),
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(max_size=4)
            | st.lists(st.text(max_size=2), max_size=2).map(tuple),
            max_size=2,
        ),
    ),
    min_size=1,
    max_size=25,
)


def random_tree(ids: list[str], seed: int) -> Tree:
    """Any shape with at most eight children a node, mixed levels too."""
    rng = random.Random(seed)
    level: list[Branch | str] = list(ids)
    rng.shuffle(level)
    while len(level) > 8:
        start, size = rng.randrange(len(level) - 3), rng.randint(2, 4)
        group = Branch(f"n{len(level)}", "about", tuple(level[start : start + size]))
        level[start : start + size] = [group]
    return number(Branch("root", "all", tuple(level)))


@settings(max_examples=20, deadline=None)
@given(
    corpora=st.lists(CORPORA, min_size=1, max_size=2),
    seed=st.integers(0, 2**32),
    text=st.text(max_size=10),
)
def test_any_published_corpus_verifies_and_reads_back(
    corpora: list[dict[str, tuple[str, str, dict[str, object]]]], seed: int, text: str
) -> None:
    with tempfile.TemporaryDirectory() as place, Store.create(Path(place, "i")) as store:
        for corpus in corpora:
            documents = [
                Document(doc_id, body, title, metadata)  # type: ignore[arg-type]
                for doc_id, (body, title, metadata) in corpus.items()
            ]
            tree = random_tree(list(corpus), seed)
            draft = store.begin(documents, fingerprint="f", settings="{}")
            np.save(draft.folder / "vectors.npy", unit(len(tree.leaves)))
            np.save(draft.folder / "node_vectors.npy", unit(len(tree.nodes)))
            (draft.folder / "lexical").mkdir()
            (draft.folder / "lexical" / "x").write_text(text)
            told = {doc_id: five(text) for doc_id in tree.leaves[: seed % 5]}
            store.publish(
                draft, tree, summaries=told, extractive=list(told)[:1], meta=BuildMeta("x", "y")
            )
            assert verify(Path(place, "i")).problems == ()
            snapshot = store.snapshot()
            assert snapshot.tree == tree
            by_id = {document.id: document for document in documents}
            found = snapshot.documents(range(len(documents)))
            assert found == [by_id[doc_id] for doc_id in tree.leaves]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("verify") / "i"
    make(path, 40)
    assert verify(path).ok
    return path


def sql(*statements: str) -> Callable[[Path], None]:
    """Change the database behind its back, without foreign keys."""

    def change(path: Path) -> None:
        connection = sqlite3.connect(path / "index.sqlite")
        with connection:
            for statement in statements:
                assert connection.execute(statement).rowcount != 0, statement
        connection.close()

    return change


def file(name: str, change: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda path: change(path / "generations" / "1" / name)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def shorten(path: Path) -> None:
    np.save(path, np.load(path)[:-1])


def stretch(path: Path) -> None:
    np.save(path, 2 * np.load(path))


def branching(path: Path) -> None:
    sql(f"UPDATE generations SET settings = '{json.dumps({'build': {'branching': 3}})}'")(path)


MUTATIONS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a bit of the vectors": (file("vectors.npy", flip), "vectors.npy is not the one"),
    "a bit of the node vectors": (file("node_vectors.npy", flip), "node_vectors.npy is not the"),
    "a bit of the lexical index": (file("lexical/meta.json", flip), "lexical/meta.json is not"),
    "vectors gone": (file("vectors.npy", Path.unlink), "vectors.npy is missing"),
    "lexical gone": (file("lexical", shutil.rmtree), "lexical/ is missing"),
    "vectors short": (file("vectors.npy", shorten), "39 rows, not 40"),
    "vectors long": (file("vectors.npy", stretch), "not of length 1"),
    "vectors of no kind": (
        file("vectors.npy", lambda path: path.write_bytes(b"")),
        "cannot be read",
    ),
    "the folder gone": (lambda path: shutil.rmtree(path / "generations"), "is missing"),
    "a leaf gone": (sql("DELETE FROM leaves WHERE position = 7"), "leaves are missing"),
    "the last leaf gone": (sql("DELETE FROM leaves WHERE position = 39"), "root ends at 40"),
    "a leaf twice": (
        sql(
            "UPDATE leaves SET document = (SELECT document FROM leaves WHERE position = 3)"
            " WHERE position = 4"
        ),
        "'d3' is a leaf 2 times",
    ),
    "two leaves swapped": (
        sql("UPDATE leaves SET document = 41 - document WHERE position IN (0, 39)"),
        "not those that were published",
    ),
    "a leaf moved": (sql("UPDATE leaves SET parent = 2 WHERE position = 39"), "starts at leaf 39"),
    "a leaf lost": (
        sql("UPDATE leaves SET parent = 99 WHERE position = 5"),
        "unknown parents [99]",
    ),
    "an interval": (sql("UPDATE nodes SET hi = hi + 1 WHERE node = 2"), "node 3 starts at leaf"),
    "an empty interval": (sql("UPDATE nodes SET hi = lo WHERE node = 2"), "empty interval"),
    "a depth": (sql("UPDATE nodes SET depth = 7 WHERE node = 2"), "node 2 has depth 7"),
    "a parent": (sql("UPDATE nodes SET parent = 0 WHERE node = 3"), "node 4 starts at leaf 8"),
    "a loop": (sql("UPDATE nodes SET parent = 3 WHERE node = 1"), "comes before its parent"),
    "children swapped": (
        sql(
            "UPDATE nodes SET lo = -lo - 1, hi = -hi WHERE node IN (2, 3)",
            "UPDATE nodes SET lo = CASE node WHEN 2 THEN 4 ELSE 0 END,"
            " hi = CASE node WHEN 2 THEN 8 ELSE 4 END WHERE node IN (2, 3)",
        ),
        "not 4",
    ),
    "a node gone": (sql("DELETE FROM nodes WHERE node = 2"), "node 2 is missing"),
    "no nodes": (sql("DELETE FROM nodes"), "no root"),
    "a name": (sql("UPDATE nodes SET name = 'x' WHERE node = 2"), "not those that were published"),
    "a text": (sql("UPDATE texts SET text = 'x' WHERE document = 5"), "'d4' is not the one"),
    "a text gone": (sql("DELETE FROM texts WHERE document = 5"), "'d4' has no text"),
    "a title": (sql("UPDATE documents SET title = 'x' WHERE key = 5"), "'d4' is not the one"),
    "metadata": (sql("UPDATE documents SET metadata = '{}' WHERE key = 5"), "'d4' is not the one"),
    "a document gone": (sql("DELETE FROM documents WHERE key = 5"), "1 leaves have no document"),
    "a checksum": (
        sql("UPDATE documents SET checksum = 'x' WHERE key = 5"),
        "not those that were published",
    ),
    "a summary": (
        sql("UPDATE summaries SET text = 'x' WHERE level = 2"),
        "summaries are not those",
    ),
    "a summary gone": (
        sql("DELETE FROM summaries WHERE position = 2 AND level = 4"),
        "99 summaries are stored",
    ),
    "branching": (branching, "more than 3"),
    "all generations": (sql("DELETE FROM generations"), "no finished build"),
    "the application": (sql("PRAGMA application_id = 7"), "not a Leafward index"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_whatever_is_changed_is_named(name: str, sound: Path, tmp_path: Path) -> None:
    change, named = MUTATIONS[name]
    shutil.copytree(sound, tmp_path / "i")
    change(tmp_path / "i")
    report = verify(tmp_path / "i")
    assert not report.ok
    assert any(named in problem.what for problem in report.problems), report.problems
    assert all(problem.repair for problem in report.problems)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_flipped_bit_of_a_derived_file_is_named(sound: Path, data: st.DataObject) -> None:
    folder = sound / "generations" / "1"
    name = data.draw(st.sampled_from(["vectors.npy", "node_vectors.npy", "lexical/meta.json"]))
    content = (folder / name).read_bytes()
    place = data.draw(st.integers(0, 8 * len(content) - 1))
    changed = bytearray(content)
    changed[place // 8] ^= 1 << place % 8
    try:
        (folder / name).write_bytes(changed)
        problems = verify(sound).problems
    finally:
        (folder / name).write_bytes(content)
    assert any(f"{name} is not the one" in problem.what for problem in problems)


@settings(max_examples=40, deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), length=st.integers(1, 3000))
def test_a_damaged_database_is_reported_never_a_crash(
    sound: Path, place: float, length: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "i")
        shutil.copytree(sound, copy)
        content = bytearray((copy / "index.sqlite").read_bytes())
        start = int(place * len(content))
        content[start : start + length] = b"\xa5" * len(content[start : start + length])
        (copy / "index.sqlite").write_bytes(content)
        report = verify(copy)
        assert report.ok == (not report.problems)
        if start < 16:  # the mark of a database; other bytes of the header may mean nothing
            assert not report.ok


def test_many_problems_of_a_kind_are_counted(sound: Path, tmp_path: Path) -> None:
    shutil.copytree(sound, tmp_path / "i")
    sql("UPDATE texts SET text = 'x'")(tmp_path / "i")
    problems = verify(tmp_path / "i").problems
    assert len(problems) == 21
    assert "20 more" in problems[-1].what


def test_no_index_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound):
        verify(tmp_path / "none")


def test_nothing_is_repaired(sound: Path, tmp_path: Path) -> None:
    shutil.copytree(sound, tmp_path / "i")
    sql("DELETE FROM leaves WHERE position = 7")(tmp_path / "i")
    assert verify(tmp_path / "i") == verify(tmp_path / "i")
