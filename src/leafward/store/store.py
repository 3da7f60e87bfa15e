"""An index: one directory, one writer, any number of readers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from leafward.closing import Closing
from leafward.errors import IndexNotFound, StoreError
from leafward.store import draft as drafts
from leafward.store import publish as publishing
from leafward.store.calls import DATABASE, CallCache
from leafward.store.database import Database, not_found
from leafward.store.draft import Draft
from leafward.store.history import History, JournalEntry
from leafward.store.lock import WriterLock
from leafward.store.meta import BuildMeta
from leafward.store.snapshot import Snapshot
from leafward.types import Document, JsonValue, Trace, Tree

LOCK = "write.lock"


class Store(Closing):
    """An open index; make one with :meth:`create` or :meth:`open`.

    ``calls`` is its call cache; it, the journal and the traces can be written to by any process at
    any time, while documents and trees have one writer (``Store.open(path, read_only=False)``).

    On a read-only file system an index opens where its last writer has closed it (SQLite then
    needs no shared-memory file); nothing can be stored there.
    """

    def __init__(self, path: Path, database: Database, lock: WriterLock | None) -> None:
        self.path = path
        self.calls = CallCache(path / DATABASE)
        self._history = History(path / DATABASE)
        self._database = database
        self._lock = lock

    @classmethod
    def create(cls, path: Path) -> Store:
        """Open an index for writing, made in an empty or new directory where there is none.

        Raises:
            StoreError: the directory holds something else.
            IndexBusy: another process is writing to it.
        """
        if not (path / DATABASE).exists():
            _claim(path)
        return cls._writer(path, "c")

    @classmethod
    def open(cls, path: Path, *, read_only: bool = True) -> Store:
        """Open an existing index.

        Raises:
            IndexNotFound: there is none.
            IndexBusy: it is to be written to, and another process does so.
            StoreError: it is of another schema version, or cannot be opened.
        """
        if not read_only:
            if not (path / DATABASE).is_file():
                raise not_found(path)
            return cls._writer(path, "w")
        return cls(path, Database(path / DATABASE, mode="r"), None)

    @classmethod
    def _writer(cls, path: Path, mode: str) -> Store:
        lock = WriterLock(path / LOCK)
        try:
            return cls(path, Database(path / DATABASE, mode=mode), lock)
        except BaseException:
            lock.close()
            raise

    @property
    def read_only(self) -> bool:
        return self._lock is None

    def begin(self, documents: Sequence[Document], *, fingerprint: str, settings: str) -> Draft:
        """Store documents and open a generation for them; a draft left behind is removed.

        Args:
            fingerprint: identifies corpus and settings, so that a repeat can be told from a change.
            settings: the build's settings as JSON; ``branching`` is checked by :func:`verify`.

        Raises:
            CorpusError: two documents share an id, or one cannot be stored.
            StoreError: the index is open read-only.
        """
        self._require_writer()
        return drafts.begin(self._database, self.path, documents, fingerprint, settings)

    def publish(
        self,
        draft: Draft,
        tree: Tree,
        *,
        summaries: Mapping[str, tuple[str, ...]],
        extractive: Collection[str],
        meta: BuildMeta,
    ) -> None:
        """Make a draft the current generation, all of it or nothing.

        The generation before it is kept for readers that have it open; older ones are removed.

        Args:
            summaries: five texts by document id, broad to specific; documents may be absent.
            extractive: ids of documents whose summaries no model wrote.

        Raises:
            StoreError: tree, summaries, files and documents of the draft do not fit together.
        """
        self._require_writer()
        publishing.publish(self._database, self.path, draft, tree, summaries, extractive, meta)

    def snapshot(self) -> Snapshot:
        """The current generation.

        Raises:
            IndexNotFound: none was published yet.
            IndexDamaged: its rows contradict each other.
        """
        with self._database.reading():  # so that no publication comes between the row and its tree
            rows = self._database.rows(
                "SELECT id, fingerprint, settings, meta, created FROM generations"
                " WHERE state = 'published' ORDER BY id DESC LIMIT 1"
            )
            if rows:
                return Snapshot(self._database, self.path, rows[0])
        raise IndexNotFound(
            f"no finished build at {self.path}",
            hint=f"finish it with `leafward index CORPUS {self.path}`; what was paid is kept",
        )

    def journal(
        self, stage: str, state: str, detail: Mapping[str, JsonValue] | None = None
    ) -> None:
        """Note that a stage of a build reached a state, with the time."""
        self._history.add_entry(stage, state, detail or {})

    def journal_entries(self, limit: int = 1000) -> list[JournalEntry]:
        """The latest journal entries, oldest first."""
        return self._history.entries(limit)

    def save_trace(self, trace: Trace, *, generation: int) -> int:
        """Store the trace of a search over a generation; returns its number."""
        return self._history.add_trace(generation, trace)

    def load_traces(
        self, *, query: str | None = None, key: str | None = None, limit: int = 100
    ) -> list[Trace]:
        """The latest traces, of one query text or of all, with one key or any, oldest first."""
        return self._history.traces(query, limit, key=key)

    def close(self) -> None:
        """Close every connection and release the writer's lock."""
        self.calls.close()
        self._history.close()
        self._database.close()
        if self._lock is not None:
            self._lock.close()

    def _require_writer(self) -> None:
        if self.read_only:
            raise StoreError(
                f"the index at {self.path} is open read-only",
                hint="open it with Store.open(path, read_only=False)",
            )


def _claim(path: Path) -> None:
    """Make the directory; refuse one with other people's files in it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the index directory {path}: {error}",
            hint="give a path where you may write and where no file stands",
        ) from error
    if any(entry.name != LOCK for entry in path.iterdir()):
        raise StoreError(
            f"{path} is not empty and not a Leafward index",
            hint="give a new or an empty directory",
        )
