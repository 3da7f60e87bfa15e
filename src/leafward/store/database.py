"""One SQLite connection with a lock, explicit transactions and our own errors."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from leafward.errors import IndexBusy, IndexDamaged, IndexNotFound, StoreError
from leafward.store import schema

Row = tuple[Any, ...]
Parameters = Sequence[object] | Mapping[str, object]

BUSY_SECONDS = 60.0
"""How long a connection waits for another one's transaction before it gives up."""

_HINTS: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (IndexBusy, "another process is writing; try again when it is done"),
    sqlite3.SQLITE_LOCKED: (IndexBusy, "another process is writing; try again when it is done"),
    sqlite3.SQLITE_CORRUPT: (
        IndexDamaged,
        "restore a backup, or delete the index and run `leafward index` again",
    ),
    sqlite3.SQLITE_NOTADB: (
        IndexDamaged,
        "restore a backup, or delete the index and run `leafward index` again",
    ),
    sqlite3.SQLITE_CONSTRAINT: (IndexDamaged, "run `leafward verify` on the index"),
    sqlite3.SQLITE_READONLY: (StoreError, "copy the index to a place that you may write to"),
    sqlite3.SQLITE_CANTOPEN: (
        StoreError,
        "check the path and its permissions; on a read-only medium the index must have been "
        "closed before it was copied there",
    ),
    sqlite3.SQLITE_FULL: (StoreError, "free disk space, then run the same command again"),
    sqlite3.SQLITE_IOERR: (StoreError, "check the disk, then run the same command again"),
}


class Database:
    """A connection that any thread may use, one statement or transaction at a time.

    Args:
        path: the SQLite file.
        mode: ``"r"`` reads, ``"w"`` also writes, ``"c"`` creates the file where it is missing.

    Raises:
        IndexNotFound: there is no such file (``"r"`` and ``"w"``).
        StoreError: it is not ours, of another schema version, or cannot be opened.
    """

    def __init__(self, path: Path, *, mode: str) -> None:
        self.path = path
        self._lock = threading.RLock()
        if mode != "c" and not path.is_file():
            raise not_found(path.parent)
        self._frozen = _state(path) if mode == "r" and needs_immutable(path) else None
        with _translated(path):
            self._connection = sqlite3.connect(
                _uri(path, mode, immutable=self._frozen is not None),
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=BUSY_SECONDS,
            )
            try:
                self._prepare(mode)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, mode: str) -> None:
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA cache_size = -32768")
        if mode != "r":
            self._migrate(create=mode == "c")
        check_version(self)

    def _migrate(self, *, create: bool) -> None:
        version = self.version
        if version == 0 and create and not self.rows("SELECT 1 FROM sqlite_schema LIMIT 1"):
            self._connection.execute("PRAGMA journal_mode = WAL")
        elif self.application_id != schema.APPLICATION_ID:
            return  # not ours: check_version says so, and nothing was touched
        if version >= len(schema.MIGRATIONS):
            return
        with self.transaction():
            for statements in schema.MIGRATIONS[self.version :]:
                for statement in statements:
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID:d}")
            self._connection.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS):d}")

    @property
    def version(self) -> int:
        """Schema version of the file."""
        return int(self.rows("PRAGMA user_version")[0][0])

    @property
    def application_id(self) -> int:
        return int(self.rows("PRAGMA application_id")[0][0])

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """All rows of one statement."""
        with self._lock, _translated(self.path):
            if self._frozen is not None and self._frozen != _state(self.path):
                raise StoreError(
                    f"{self.path} was changed while it was open on a read-only place",
                    hint="open the index again",
                )
            return self._connection.execute(sql, parameters).fetchall()

    def write(self, sql: str, parameters: Parameters = ()) -> sqlite3.Cursor:
        """Run one statement; outside a transaction it is durable when this returns."""
        with self._lock, _translated(self.path):
            return self._connection.execute(sql, parameters)

    def write_many(self, sql: str, rows: Iterator[Row]) -> None:
        with self._lock, _translated(self.path):
            self._connection.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One atomic, durable change; rolled back on any exception."""
        yield from self._within("BEGIN IMMEDIATE")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Several reads that see one state of the database; may be nested."""
        with self._lock:
            if self._connection.in_transaction:
                yield
            else:
                yield from self._within("BEGIN")

    def _within(self, begin: str) -> Iterator[None]:
        with self._lock, _translated(self.path):
            self._connection.execute(begin)
            try:
                yield
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def not_found(folder: Path) -> IndexNotFound:
    return IndexNotFound(
        f"there is no index at {folder}", hint=f"build one with `leafward index CORPUS {folder}`"
    )


def check_version(database: Database) -> None:
    """Raises StoreError unless the file is ours and of this version's schema."""
    if database.application_id != schema.APPLICATION_ID:
        if not database.rows("SELECT 1 FROM sqlite_schema LIMIT 1"):
            raise not_found(database.path.parent)  # a file whose making was cut off
        raise StoreError(
            f"{database.path} is not a Leafward index", hint="give the path of another directory"
        )
    version, ours = database.version, len(schema.MIGRATIONS)
    if version > ours:
        raise StoreError(
            f"{database.path} has schema version {version}, newer than {ours}",
            hint="pip install --upgrade leafward",
        )
    if version < ours:
        raise StoreError(
            f"{database.path} has schema version {version}, older than {ours}",
            hint=f"open it for writing once: `leafward index CORPUS {database.path.parent}`",
        )


def _uri(path: Path, mode: str, *, immutable: bool) -> str:
    tail = "immutable=1" if immutable else {"r": "mode=ro", "w": "mode=rw", "c": "mode=rwc"}[mode]
    return f"{path.absolute().as_uri()}?{tail}"


def needs_immutable(path: Path) -> bool:
    """Whether SQLite could not make its shared-memory file, and no write-ahead log needs one."""
    if os.access(path.parent, os.W_OK):
        return False
    log = path.with_name(path.name + "-wal")
    return not log.exists() or log.stat().st_size == 0


def _state(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.ProgrammingError as error:
        if "closed" not in str(error):
            raise
        raise StoreError(f"{path} was closed", hint="open the index again") from error
    except UnicodeDecodeError as error:  # in a row, or in SQLite's own message about its schema
        kind, hint = _HINTS[sqlite3.SQLITE_CORRUPT]
        raise kind(f"{path}: holds text that is not UTF-8", hint=hint) from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind, hint = _HINTS.get(code, (StoreError, "run `leafward verify` on the index"))
        raise kind(f"{path}: {error}", hint=hint) from error
