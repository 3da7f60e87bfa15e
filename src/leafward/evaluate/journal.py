"""The journal of an evaluation: one line per finished query, there after ``kill -9``."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterable
from pathlib import Path

from leafward.closing import Closing
from leafward.errors import IndexBusy, SettingsError, StoreError
from leafward.evaluate.journal_lines import (
    Entry,
    Header,
    damaged,
    entry_line,
    header_line,
    parse_entries,
    parse_header,
    query_digest,
)
from leafward.types import Outcome, Query

_SYNC_SECONDS = 1.0


class Journal(Closing):
    """Outcomes on the disk, appended as they come.

    A line is handed to the operating system before :meth:`append` returns, so a process that is
    killed loses nothing that it finished. The disk is told to keep what has come once a second at
    most, as lines are added, and at the end: a power cut can cost the latest lines. A last line
    that broke off is cut away when the journal is opened again. One process writes at a time.

    Raises:
        SettingsError: the file is the journal of another method or collection.
        StoreError: the file is none of ours, or damaged in its middle.
        IndexBusy: another process is writing to it.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._synced = time.monotonic()
        try:
            _lock(self._file, path)
            self._entries = self._recover(header)
        except BaseException:
            os.close(self._file)
            raise

    def finished(self, queries: Iterable[Query]) -> dict[str, Outcome]:
        """Outcomes of these queries that need not be found again: those with a ranking.

        What our own failure lost is not among them, so that it is tried again.

        Raises:
            SettingsError: a query was asked in other words then, or with other exclusions.
        """
        found = {}
        for query in queries:
            entry = self._entries.get(query.id)
            if entry is None:
                continue
            if entry.query != query_digest(query):
                raise SettingsError(
                    f"{self._path} holds an answer to another query {query.id!r}",
                    hint="the collection has changed since: choose another journal",
                )
            if entry.outcome.ranking is not None:
                found[query.id] = entry.outcome
        return found

    def append(self, query: Query, outcome: Outcome) -> None:
        """Add a line; a later one about the same query stands for it."""
        self._write(entry_line(Entry(query_digest(query), outcome)))
        if time.monotonic() - self._synced >= _SYNC_SECONDS:
            self._sync()

    def close(self) -> None:
        """Force everything to the disk and let others write."""
        self._sync()
        os.close(self._file)

    def _recover(self, header: Header) -> dict[str, Entry]:
        """What the file holds; nothing in it is touched before it is known to be ours."""
        content = _content(self._file)
        whole = content[: content.rfind(b"\n") + 1]
        if not whole:
            self._begin(content, header)
            return {}
        first, *rest = whole[:-1].split(b"\n")
        _check(self._path, first, header)
        entries = parse_entries(self._path, rest)
        if len(whole) < len(content):
            os.ftruncate(self._file, len(whole))
        return entries

    def _begin(self, content: bytes, header: Header) -> None:
        """Write the first line, over one that broke off (a power cut may leave zeros behind)."""
        line = header_line(header)
        if not line.startswith(content.rstrip(b"\0")):
            raise damaged(self._path, 1)
        os.ftruncate(self._file, 0)
        self._write(line)
        self._sync()
        _sync_folder(self._path.parent)

    def _write(self, line: bytes) -> None:
        end = os.fstat(self._file).st_size
        try:
            view = memoryview(line)
            while view:
                view = view[os.write(self._file, view) :]
        except OSError as error:
            os.ftruncate(self._file, end)  # no half line that a later one would run into
            raise StoreError(
                f"{self._path} cannot be written: {error.strerror}",
                hint="make room on the disk, then run this again: what is finished is kept",
            ) from error

    def _sync(self) -> None:
        os.fsync(self._file)
        self._synced = time.monotonic()


def read_journal(path: Path) -> tuple[Header, tuple[Outcome, ...]]:
    """What a journal holds, the latest outcome of each query, in the order of first answers.

    Reads without a lock, also while an evaluation writes.

    Raises:
        StoreError: there is no such file, or it is no journal.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read: {error.strerror}", hint="name the journal of an evaluation"
        ) from error
    first, *rest = content[: content.rfind(b"\n") + 1].split(b"\n")
    entries = parse_entries(path, rest[:-1])
    return parse_header(path, first), tuple(entry.outcome for entry in entries.values())


def _lock(file: int, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise IndexBusy(
            f"another process is writing to {path}",
            hint="wait until it ends, or choose another journal",
        ) from error


def _content(file: int) -> bytes:
    with os.fdopen(os.dup(file), "rb") as stream:
        stream.seek(0)
        return stream.read()


def _check(path: Path, first: bytes, header: Header) -> None:
    found = parse_header(path, first)
    if found == header:
        return
    differing = [
        f"{name} {getattr(found, name)!r} instead of {getattr(header, name)!r}"
        for name in Header.__slots__
        if getattr(found, name) != getattr(header, name)
    ]
    raise SettingsError(
        f"{path} is the journal of something else: {', '.join(differing)}",
        hint="choose another journal, or remove this one to begin anew",
    )


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
