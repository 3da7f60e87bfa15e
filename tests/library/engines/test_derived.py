"""The Boolean index of a generation: made once, whole or not at all, and made anew where broken."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.library.samples import corpus, settings

import leafward
from leafward.engines.boolean import BooleanEngine
from leafward.errors import IndexDamaged, StoreError
from leafward.library.engines.derived import MANIFEST, boolean_engine
from leafward.store import Snapshot, Store


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "topics.leafward"
    leafward.build(corpus(), path, settings=settings()).close()
    return path


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    """A copy of the index, to be changed."""
    return shutil.copytree(built, tmp_path / "copy.leafward")


@pytest.fixture
def snapshot(index: Path) -> Iterator[Snapshot]:
    with Store.open(index) as store:
        yield store.snapshot()


def total(engine: BooleanEngine) -> int | None:
    return engine.find("telescope OR yeast", k=0).total


def stamps(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_it_is_made_once_and_kept(index: Path, snapshot: Snapshot) -> None:
    folder = index / "boolean" / "1"
    first = total(boolean_engine(index, snapshot))
    made = stamps(folder)
    assert first
    assert total(boolean_engine(index, snapshot)) == first
    assert stamps(folder) == made
    assert leafward.verify(index).ok
    assert {path.name for path in (index / "boolean").iterdir()} == {"1", "build.lock"}


def test_what_the_documents_say_is_what_is_found(index: Path, snapshot: Snapshot) -> None:
    engine = boolean_engine(index, snapshot)
    for word in ("telescope", "dough", "verdict"):
        found = {hit.doc_id for hit in engine.find(f"{word}[tiab]", k=1000).hits}
        assert found == {document.id for document in corpus() if word in document.text.split()}


def test_equal_dates_come_in_the_order_of_ids(index: Path, snapshot: Snapshot) -> None:
    hits = boolean_engine(index, snapshot).find("telescope", k=1000).hits
    ids = [hit.doc_id for hit in hits]
    assert ids == sorted(ids)


@pytest.mark.parametrize("harm", ["manifest", "file", "analysis", "empty", "other", "cut"])
def test_what_is_broken_is_made_anew(index: Path, snapshot: Snapshot, harm: str) -> None:
    expected = total(boolean_engine(index, snapshot))
    folder = index / "boolean" / "1"
    manifest = folder / MANIFEST
    match harm:
        case "manifest":
            manifest.unlink()
        case "file":
            (folder / "meta.json").unlink()
        case "analysis":
            content = json.loads((folder / "documents.json").read_text())
            (folder / "documents.json").write_text(json.dumps(content | {"analysis": "old"}))
        case "empty":
            shutil.rmtree(folder)
            folder.mkdir()
        case "other":
            content = json.loads(manifest.read_text())
            manifest.write_text(json.dumps(content | {"fingerprint": "another"}))
        case "cut":
            manifest.write_text(manifest.read_text()[:20])
    assert total(boolean_engine(index, snapshot)) == expected
    assert leafward.verify(index).ok


@pytest.mark.parametrize("harm", ["change", "remove"])
def test_verify_finds_what_is_broken(index: Path, snapshot: Snapshot, harm: str) -> None:
    boolean_engine(index, snapshot)
    folder = index / "boolean" / "1"
    file = next(path for path in folder.iterdir() if path.suffix == ".term")
    if harm == "change":
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    else:
        file.unlink()
    report = leafward.verify(index)
    assert not report.ok
    (problem,) = report.problems
    assert file.name in problem.what
    assert "generation 1" in problem.what
    assert str(folder) in problem.repair


def test_leftovers_are_removed(index: Path, snapshot: Snapshot) -> None:
    for name in ("1.part", "7", "7.part"):
        (index / "boolean" / name).mkdir(parents=True)
        (index / "boolean" / name / "junk").write_text("x")
    assert total(boolean_engine(index, snapshot))
    assert {path.name for path in (index / "boolean").iterdir()} == {"1", "build.lock"}


def test_a_new_generation_has_its_own(index: Path) -> None:
    with Store.open(index) as store:
        before = total(boolean_engine(index, store.snapshot()))
    leafward.build(corpus(3), index, settings=settings()).close()
    with Store.open(index) as store:
        after = total(boolean_engine(index, store.snapshot()))
    assert before is not None and after is not None and 0 < after < before
    assert leafward.verify(index).ok


def test_where_nothing_can_be_written(index: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is read-only for root")
    index.chmod(0o555)
    try:
        with Store.open(index) as store:
            assert total(boolean_engine(index, store.snapshot()))
        assert not (index / "boolean").exists()
    finally:
        index.chmod(0o755)


def test_where_writing_is_not_allowed(
    index: Path, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafward.library.engines.derived.os.access", lambda *_: False)
    engine = boolean_engine(index, snapshot)
    assert total(engine)
    assert not (index / "boolean").exists()


def test_a_full_disk_leaves_nothing(
    index: Path, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Path) -> list[object]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("leafward.library.engines.derived.seal", full)
    with pytest.raises(StoreError, match="No space left") as caught:
        boolean_engine(index, snapshot)
    assert caught.value.hint
    assert {path.name for path in (index / "boolean").iterdir()} == {"build.lock"}


def _open_and_tell(index: Path, results: multiprocessing.Queue[int | None]) -> None:
    with Store.open(index) as store:
        results.put(total(boolean_engine(index, store.snapshot())))


def test_many_processes_make_one(index: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[int | None] = context.Queue()
    processes = [
        context.Process(target=_open_and_tell, args=(index, results), daemon=True) for _ in range(3)
    ]
    for process in processes:
        process.start()
    totals = {results.get(timeout=120) for _ in processes}
    for process in processes:
        process.join(timeout=60)
        assert process.exitcode == 0
    assert len(totals) == 1
    assert leafward.verify(index).ok


def _make_slowly(index: Path) -> None:
    """Make the index, and stay in the middle of it for ever."""
    import leafward.library.engines.derived as derived

    def wait(folder: Path) -> list[object]:
        (index / "reached").touch()
        time.sleep(3600)
        return []

    vars(derived)["seal"] = wait
    with Store.open(index) as store:
        derived.boolean_engine(index, store.snapshot())


def test_a_killed_process_leaves_nothing_that_is_opened(index: Path, snapshot: Snapshot) -> None:
    process = multiprocessing.get_context("spawn").Process(
        target=_make_slowly, args=(index,), daemon=True
    )
    process.start()
    while not (index / "reached").exists():
        time.sleep(0.01)
        assert process.exitcode is None
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(timeout=60)
    assert (index / "boolean" / "1.part").is_dir()
    with pytest.raises(IndexDamaged):
        BooleanEngine.open(index / "boolean" / "1")
    assert leafward.verify(index).ok
    assert total(boolean_engine(index, snapshot))
    assert {path.name for path in (index / "boolean").iterdir()} == {"1", "build.lock"}
