"""Programs that are killed while they publish; run by test_crash.py in processes of their own."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from tests.store.making import documents, publish

from leafward.errors import IndexNotFound
from leafward.store import Store, verify


def sweep(place: Path) -> None:
    """Die at every statement, fsync and removal of a second publication, one process for each.

    Prints, for each point, the fingerprint that a reader then sees and what verify finds.
    """
    with Store.create(place / "sound") as store:
        publish(store, documents(3, version="zero"), fingerprint="zero")
        publish(store, documents(3, version="one"), fingerprint="one")
    for point in itertools.count(1):
        copy = place / str(point)
        shutil.copytree(place / "sound", copy)
        child = os.fork()
        if child == 0:
            _die_at(point, copy)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(point, os.WIFSIGNALED(status), *_state(copy), *_resumed(copy), sep="\t", flush=True)
        shutil.rmtree(copy)
        if not os.WIFSIGNALED(status):
            return


def _die_at(point: int, path: Path) -> None:
    events = itertools.count(1)

    def event(*_: object) -> None:
        if next(events) == point:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(function: Callable[..., None]) -> Callable[..., None]:
        def wrapped(*arguments: object) -> None:
            event()
            function(*arguments)

        return wrapped

    os.fsync = before(os.fsync)
    shutil.rmtree = before(shutil.rmtree)  # type: ignore[assignment]
    with Store.open(path, read_only=False) as store:
        store._database._connection.set_trace_callback(event)
        publish(store, documents(4, version="two"), fingerprint="two")


def _state(path: Path) -> tuple[str, int, list[str]]:
    with Store.open(path) as store:
        snapshot = store.snapshot()
        texts = {document.text for document in snapshot.documents(range(3))}
        return snapshot.fingerprint, len(texts), [p.what for p in verify(path).problems]


def _resumed(path: Path) -> tuple[str, list[str], list[str]]:
    """The same after a new writer has published once more, with the folders that are left."""
    with Store.open(path, read_only=False) as store:
        publish(store, documents(4, version="three"), fingerprint="three")
        left = store._database.rows("SELECT id FROM generations")
    folders = {int(folder.name) for folder in (path / "generations").iterdir()}
    fingerprint, _, problems = _state(path)
    return fingerprint, problems, sorted(map(str, folders ^ {row[0] for row in left}))


def publish_for_ever(path: Path) -> None:
    """Publish one generation after the other, and say each that is done."""
    with Store.create(path) as store:
        try:
            start = int(store.snapshot().fingerprint)
        except IndexNotFound:
            start = 0
        for turn in itertools.count(start + 1):
            publish(store, documents(5 + turn % 7, version=str(turn)), fingerprint=str(turn))
            print(turn, flush=True)


if __name__ == "__main__":
    {"sweep": sweep, "for-ever": publish_for_ever}[sys.argv[1]](Path(sys.argv[2]))
