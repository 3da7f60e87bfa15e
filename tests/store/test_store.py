"""Publication, snapshots, the single writer, and what opening says when it cannot."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.store.making import META, SETTINGS, documents, fill, five, make, publish, tree_of

from leafward.errors import CorpusError, IndexBusy, IndexDamaged, IndexNotFound, StoreError
from leafward.store import Store, schema, verify
from leafward.types import Branch, Document, number


def test_what_was_published_is_read_back(tmp_path: Path) -> None:
    corpus = documents(20)
    with Store.create(tmp_path / "i") as store:
        tree = publish(store, corpus, fingerprint="abc")
    with Store.open(tmp_path / "i") as store:
        snapshot = store.snapshot()
        assert snapshot.tree == tree
        assert snapshot.meta == META
        assert (snapshot.fingerprint, snapshot.settings) == ("abc", SETTINGS)
        assert snapshot.documents(range(20)) == corpus
        assert snapshot.documents([7, 3, 7]) == [corpus[7], corpus[3], corpus[7]]
        assert snapshot.document("d5") == corpus[5]
        assert snapshot.titles([2, 1]) == ["title 2", "title 1"]
        assert snapshot.summaries([0, 1, 2], 3) == [five("d0")[3], "", five("d2")[3]]
        assert snapshot.vectors().shape == (20, 8)
        assert snapshot.node_vectors().shape == (len(tree.nodes), 8)
        assert not snapshot.vectors().flags.writeable
        with pytest.raises(KeyError):
            snapshot.document("d20")
    assert verify(tmp_path / "i").problems == ()


def test_leaves_keep_the_order_of_the_tree(tmp_path: Path) -> None:
    corpus = documents(9)
    tree = number(
        Branch(
            "r",
            "",
            (
                "d8",
                Branch("a", "", ("d3", "d1")),
                "d0",
                Branch("b", "", ("d2", "d7")),
                Branch("c", "", ("d4", "d5", "d6")),
            ),
        )
    )
    with Store.create(tmp_path / "i") as store:
        draft = store.begin(corpus, fingerprint="f", settings=SETTINGS)
        fill(draft, tree)
        store.publish(draft, tree, summaries={}, extractive=(), meta=META)
        assert store.snapshot().tree == tree
        assert store.snapshot().titles([0, 2]) == ["title 8", "title 1"]


def test_readers_keep_their_snapshot_until_the_publication_after_the_next(tmp_path: Path) -> None:
    with Store.create(tmp_path / "i") as writer, Store.open(tmp_path / "i") as reader:
        publish(writer, documents(6, version="one"))
        first = reader.snapshot()
        publish(writer, documents(8, version="two"))
        assert reader.snapshot().generation == first.generation + 1
        assert first.documents([5])[0].text == "text one of 5"
        assert first.summaries([4], 0) == [five("d4")[0]]
        vectors = first.vectors()
        publish(writer, documents(9, version="three"))
        with pytest.raises(StoreError, match="removed") as caught:
            first.documents([5])
        assert "open the index again" in caught.value.hint
        assert vectors.shape == (6, 8)  # what is mapped stays mapped
        assert sorted(path.name for path in (tmp_path / "i" / "generations").iterdir()) == [
            "2",
            "3",
        ]
        rows = writer._database.rows("SELECT count(*) FROM documents")
        assert rows == [(17,)]  # those of generation 1 went with it


def test_unchanged_documents_are_stored_once(tmp_path: Path) -> None:
    with Store.create(tmp_path / "i") as store:
        publish(store, documents(5))
        publish(store, [*documents(5)[:4], Document("d4", "changed")])
        assert store._database.rows("SELECT count(*) FROM documents") == [(6,)]
        assert store.snapshot().document("d4").text == "changed"


def test_nothing_shows_before_publication_and_a_left_draft_goes(tmp_path: Path) -> None:
    with Store.create(tmp_path / "i") as store:
        left = store.begin(documents(3), fingerprint="f", settings=SETTINGS)
        with pytest.raises(IndexNotFound, match="no finished build"):
            store.snapshot()
        (left.folder / "half.npy").write_bytes(b"x")
    with Store.open(tmp_path / "i", read_only=False) as store:
        publish(store, documents(4))
        assert not left.folder.exists()
        tree = tree_of(["d0", "d1", "d2"])
        left.folder.mkdir()
        fill(left, tree)
        with pytest.raises(StoreError, match="no draft"):
            store.publish(left, tree, summaries={}, extractive=(), meta=META)
        assert len(store.snapshot().tree.leaves) == 4


def test_a_failed_publication_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.create(tmp_path / "i") as store:
        tree = publish(store, documents(6))
        monkeypatch.setattr("leafward.store.publish._prune", lambda database: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            publish(store, documents(9))
        assert store.snapshot().tree == tree
        monkeypatch.undo()
        publish(store, documents(9))
        assert len(store.snapshot().tree.leaves) == 9
    assert verify(tmp_path / "i").ok


def test_what_does_not_fit_together_is_not_published(tmp_path: Path) -> None:
    corpus = documents(6)
    ids = [document.id for document in corpus]
    with Store.create(tmp_path / "i") as store:
        draft = store.begin(corpus, fingerprint="f", settings=SETTINGS)
        tree = tree_of(ids)

        def refused(match: str, **changes: object) -> None:
            arguments: dict[str, object] = {"summaries": {}, "extractive": (), "meta": META}
            used = changes.pop("tree", tree)
            with pytest.raises(StoreError, match=match):
                store.publish(draft, used, **{**arguments, **changes})  # type: ignore[arg-type]

        refused("vectors.npy is missing")
        fill(draft, tree)
        refused("1 documents of the draft are no leaves", tree=tree_of(ids[:5]))
        refused("1 leaves are no documents", tree=tree_of([*ids, "other"]))
        refused("outside the draft", summaries={"other": five("other")})
        refused("has 2 summaries, not 5", summaries={"d1": ("a", "b")})
        np.save(draft.folder / "vectors.npy", np.zeros((6, 8), np.float32))
        refused("6 rows that are not of length 1")
        np.save(draft.folder / "vectors.npy", np.ones((6, 1), np.float64))
        refused("float64")
        np.save(draft.folder / "vectors.npy", np.ones((5, 1), np.float32))
        refused("5 rows, not 6")


def test_documents_that_cannot_be_stored_are_named(tmp_path: Path) -> None:
    with Store.create(tmp_path / "i") as store:
        for document, match in (
            (Document("d0", "again"), "occurs twice"),
            (Document("x", "half \ud800 pair"), "'x' is not valid Unicode"),
            (Document("x", "t", metadata={"n": float("nan")}), "'x' cannot be stored"),
        ):
            with pytest.raises(CorpusError, match=match):
                store.begin([*documents(2), document], fingerprint="f", settings=SETTINGS)
        publish(store, documents(2))


def test_a_model_may_write_halves_of_surrogate_pairs(tmp_path: Path) -> None:
    tree = number(Branch("n \ud83d", "d \ud83d", ("d0", "d1")))
    with Store.create(tmp_path / "i") as store:
        draft = store.begin(documents(2), fingerprint="f", settings=SETTINGS)
        fill(draft, tree)
        store.publish(
            draft, tree, summaries={"d0": ("\ud83d", *five("d0")[1:])}, extractive=(), meta=META
        )
        assert store.snapshot().tree.root.name == "n ?"
    assert verify(tmp_path / "i").ok


def test_one_writer(tmp_path: Path) -> None:
    make(tmp_path / "i")
    with Store.open(tmp_path / "i", read_only=False):
        with pytest.raises(IndexBusy) as caught:
            Store.open(tmp_path / "i", read_only=False)
        assert caught.value.retryable and caught.value.hint
        script = (
            "import sys; from pathlib import Path; from leafward.store import Store\n"
            "Store.open(Path(sys.argv[1])).snapshot()\n"
            "Store.create(Path(sys.argv[1]))"
        )
        ended = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "i")], capture_output=True, text=True
        )
        assert "IndexBusy" in ended.stderr and "in <module>" in ended.stderr
        assert "line 3" in ended.stderr  # reading on line 2 went well
    Store.open(tmp_path / "i", read_only=False).close()


def test_readers_read_while_a_writer_publishes(tmp_path: Path) -> None:
    make(tmp_path / "i", 3)
    done = threading.Event()

    def read() -> int:
        turns = 0
        while not done.is_set() or turns == 0:
            with Store.open(tmp_path / "i") as store:
                snapshot = store.snapshot()
                assert verify(tmp_path / "i").problems == ()
                try:
                    found = snapshot.documents(range(len(snapshot.tree.leaves)))
                except StoreError as error:  # two publications since: said, not shown as damage
                    assert "removed" in error.message
                else:
                    assert [document.id for document in found] == list(snapshot.tree.leaves)
            turns += 1
        return turns

    with ThreadPoolExecutor(3) as pool, Store.create(tmp_path / "i") as writer:
        readers = [pool.submit(read) for _ in range(3)]
        for turn in range(12):
            publish(writer, documents(3 + turn, version=str(turn)))
        done.set()
        assert all(reader.result() > 0 for reader in readers)


def test_a_read_only_store_publishes_nothing(tmp_path: Path) -> None:
    make(tmp_path / "i")
    with Store.open(tmp_path / "i") as store, pytest.raises(StoreError, match="read-only"):
        store.begin([], fingerprint="f", settings=SETTINGS)


def test_what_is_no_index_is_said(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound) as caught:
        Store.open(tmp_path / "none")
    assert "leafward index" in caught.value.hint
    with pytest.raises(IndexNotFound):
        Store.open(tmp_path / "none", read_only=False)
    assert not (tmp_path / "none").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(StoreError, match="not empty"):
        Store.create(tmp_path / "mine")
    with pytest.raises(StoreError, match="cannot make"):
        Store.create(tmp_path / "mine" / "thesis.txt" / "i")
    (tmp_path / "other").mkdir()
    with sqlite3.connect(tmp_path / "other" / "index.sqlite") as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    for opening in (Store.open, Store.create):
        with pytest.raises(StoreError, match="not a Leafward index"):
            opening(tmp_path / "other")
    (tmp_path / "bytes").mkdir()
    (tmp_path / "bytes" / "index.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(IndexDamaged):
        Store.open(tmp_path / "bytes")


def test_an_index_whose_making_was_cut_off_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "i").mkdir()
    (tmp_path / "i" / "index.sqlite").touch()
    with pytest.raises(IndexNotFound):
        Store.open(tmp_path / "i")
    make(tmp_path / "i")


def test_schema_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "i")
    newer = (*schema.MIGRATIONS, ("CREATE TABLE later (x INTEGER) STRICT",))
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", newer)
        with pytest.raises(StoreError, match="older than 2"):
            Store.open(tmp_path / "i")
        with Store.open(tmp_path / "i", read_only=False) as store:
            assert store._database.version == 2
            assert store._database.rows("SELECT * FROM later") == []
    with pytest.raises(StoreError, match="newer than 1") as caught:
        Store.open(tmp_path / "i")
    assert "upgrade" in caught.value.hint
    assert "newer than 1" in verify(tmp_path / "i").problems[0].what


def test_a_migration_that_fails_leaves_the_old_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "i")
    bad = (*schema.MIGRATIONS, ("CREATE TABLE later (x INTEGER) STRICT", "CREATE NONSENSE"))
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", bad)
        with pytest.raises(StoreError, match="NONSENSE"):
            Store.open(tmp_path / "i", read_only=False)
    assert verify(tmp_path / "i").ok


def test_the_database_keeps_its_promises(tmp_path: Path) -> None:
    with Store.create(tmp_path / "i") as store:
        for name, value in (("journal_mode", "wal"), ("foreign_keys", 1), ("synchronous", 2)):
            assert store._database.rows(f"PRAGMA {name}") == [(value,)]
        tables = store._database.rows(
            "SELECT name, strict FROM pragma_table_list WHERE schema = 'main'"
        )
        assert all(strict for name, strict in tables if not name.startswith("sqlite_"))


def test_a_place_that_may_not_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make(tmp_path / "i")
    before = sorted((tmp_path / "i").iterdir())
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with Store.open(tmp_path / "i") as store:
        snapshot = store.snapshot()
        assert snapshot.tree == tree
        assert store.calls.get("key") is None
        assert sorted((tmp_path / "i").iterdir()) == before
        os.utime(tmp_path / "i" / "index.sqlite", (1, 1))
        with pytest.raises(StoreError, match="was changed"):
            snapshot.documents([0])


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    make(tmp_path / "i")
    store = Store.open(tmp_path / "i")
    snapshot = store.snapshot()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        snapshot.documents([0])


def test_a_missing_array_is_damage(tmp_path: Path) -> None:
    make(tmp_path / "i")
    with Store.open(tmp_path / "i") as store:
        (store.snapshot().folder / "vectors.npy").unlink()
        with pytest.raises(IndexDamaged, match=r"vectors\.npy"):
            store.snapshot().vectors()
