"""The Boolean index of a published generation: made at its first use, then kept.

It lies in ``INDEX/boolean/GENERATION``, is derived from the generation's documents alone, and may
be deleted at any time. A process that dies while it makes one leaves nothing that another opens.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from leafward.engines.boolean import BooleanEngine
from leafward.errors import IndexDamaged, StoreError
from leafward.store import Snapshot
from leafward.store.files import GENERATIONS, FileRecord, checksum, seal, sync_directory
from leafward.types import Document

FOLDER = "boolean"
MANIFEST = "manifest.json"

_LOCK = "build.lock"
_BATCH = 500


def boolean_engine(root: Path, snapshot: Snapshot) -> BooleanEngine:
    """The Boolean engine over a generation of the index at ``root``, made where there is none.

    Equal dates are ordered by document id. Where the index cannot be written to, the engine is made
    in a temporary folder and goes with the object.

    Raises:
        StoreError: the generation is gone, or the disk is full.
    """
    folder = root / FOLDER / str(snapshot.generation)
    engine = _opened(folder, snapshot)
    if engine is not None:
        return engine
    if not os.access(root, os.W_OK):
        return _temporary(snapshot)
    with _locked(root / FOLDER):
        engine = _opened(folder, snapshot)  # made by another process meanwhile
        if engine is None:
            _tidy(root, folder)
            _make(folder, snapshot)
            engine = BooleanEngine.open(folder)
    return engine


def manifest_problems(folder: Path) -> Iterator[str]:
    """What is wrong with a derived index, whatever it may still answer."""
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        records = [FileRecord(**record) for record in content["files"]]
    except (OSError, ValueError, TypeError, KeyError) as error:
        yield f"{MANIFEST} cannot be read: {error}"
        return
    for record in records:
        path = folder / record.path
        if not path.is_file():
            yield f"the file {record.path} is missing"
        elif path.stat().st_size != record.bytes or checksum(path) != record.sha256:
            yield f"the file {record.path} is not the one that was made (checksum)"


def derived_folders(root: Path) -> list[Path]:
    """The derived Boolean indexes of an index, one for each generation that was asked for one."""
    folder = root / FOLDER
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.name.isdigit() and path.is_dir())


def _opened(folder: Path, snapshot: Snapshot) -> BooleanEngine | None:
    """The engine that is there; None where none is, or one that has to be made anew."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["fingerprint"] != snapshot.fingerprint:
            return None
        engine = BooleanEngine.open(folder)
    except (OSError, ValueError, TypeError, KeyError, IndexDamaged):
        return None
    return engine if engine.count == len(snapshot.tree.leaves) else None


def _make(folder: Path, snapshot: Snapshot) -> None:
    """Build beside, seal, and rename: either all of it is there or nothing."""
    part = folder.with_suffix(".part")
    try:
        BooleanEngine.build(part, _documents(snapshot))
        records = seal(part)
        content = {
            "fingerprint": snapshot.fingerprint,
            "files": [asdict(record) for record in records],
        }
        with (part / MANIFEST).open("w", encoding="utf-8") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        sync_directory(part)
        part.rename(folder)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise StoreError(
            f"the Boolean index {folder} cannot be made: {error}",
            hint="check the free space and your rights in the index directory",
        ) from error
    sync_directory(folder.parent)


def _temporary(snapshot: Snapshot) -> BooleanEngine:
    folder = Path(tempfile.mkdtemp(prefix="leafward-"))
    try:
        BooleanEngine.build(folder, _documents(snapshot))
        engine = BooleanEngine.open(folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(engine, shutil.rmtree, folder, ignore_errors=True)
    return engine


def _documents(snapshot: Snapshot) -> Iterator[Document]:
    """Every document of a generation in order of ids, which no tree decides."""
    tree = snapshot.tree
    order = [tree.position_of(doc_id) for doc_id in sorted(tree.leaves)]
    for start in range(0, len(order), _BATCH):
        yield from snapshot.documents(order[start : start + _BATCH])


def _tidy(root: Path, anew: Path) -> None:
    """Remove what a killed process left, what is made anew, and generations that are gone."""
    for path in (root / FOLDER).iterdir():
        published = path.name.isdigit() and (root / GENERATIONS / path.name).is_dir()
        if path.is_dir() and (path == anew or not published):
            shutil.rmtree(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process makes an index, the others wait; the lock goes with the process that holds it."""
    try:
        folder.mkdir(exist_ok=True)
        file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(
            f"cannot write to {folder}: {error}",
            hint="check the permissions of the index directory",
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)
