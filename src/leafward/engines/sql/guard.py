"""What a statement may do: read."""

from __future__ import annotations

import sqlite3
import threading
import time

from leafward.engines.sql.limits import SqlLimits

STEP = 1_000
"""Instructions between two looks at the limits."""

_REFUSED_FUNCTIONS = {
    "load_extension": "it runs code",
    "fts3_tokenizer": "it runs code",
    "sqlite_log": "it writes to a log",
    "random": "its answer differs from run to run",
    "randomblob": "its answer differs from run to run",
}
_ACTIONS = {
    getattr(sqlite3, f"SQLITE_{name}"): name.replace("_", " ")
    for name in (
        *("ALTER_TABLE", "ANALYZE", "ATTACH", "DETACH", "DELETE", "INSERT", "UPDATE", "PRAGMA"),
        *("REINDEX", "SAVEPOINT", "TRANSACTION", "CREATE_INDEX", "CREATE_TABLE", "CREATE_VIEW"),
        *("CREATE_TRIGGER", "CREATE_VTABLE", "CREATE_TEMP_INDEX", "CREATE_TEMP_TABLE"),
        *("CREATE_TEMP_TRIGGER", "CREATE_TEMP_VIEW", "DROP_INDEX", "DROP_TABLE", "DROP_TRIGGER"),
        *("DROP_VIEW", "DROP_VTABLE", "DROP_TEMP_INDEX", "DROP_TEMP_TABLE", "DROP_TEMP_TRIGGER"),
        "DROP_TEMP_VIEW",
    )
}


class Guard:
    """Watches one statement on one connection, and remembers why it stopped it."""

    def __init__(self, limits: SqlLimits, cancelled: threading.Event) -> None:
        self._limits = limits
        self._cancelled = cancelled
        self._steps = 0
        self._end = time.monotonic() + limits.seconds
        self.refused = ""
        """What the statement may not do, in words; empty where it asked for nothing of the kind."""
        self.exhausted = False
        """The statement took more steps than it may."""
        self.late = False
        """The clock ran out first."""

    def watch(self, connection: sqlite3.Connection) -> None:
        """From now on the connection reads, for as long as the limits say."""
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._progress, STEP)

    def _authorize(
        self, action: int, first: str | None, second: str | None, *where: str | None
    ) -> int:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            reason = _REFUSED_FUNCTIONS.get((second or "").lower())
            if reason is None:
                return sqlite3.SQLITE_OK
            return self._deny(f"the function {second} is refused: {reason}")
        # Full-text tables look whether the file changed whenever they are read.
        if action == sqlite3.SQLITE_PRAGMA and first == "data_version" and second is None:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_UPDATE and first in ("sqlite_master", "sqlite_schema"):
            # How SQLite declares a virtual table that the connection does not know yet.
            return self._deny("a virtual table that the file does not hold is refused")
        return self._deny(f"{_ACTIONS.get(action, 'this')} is refused: the database is only read")

    def _deny(self, reason: str) -> int:
        self.refused = self.refused or reason
        return sqlite3.SQLITE_DENY

    def _progress(self) -> int:
        self._steps += STEP
        self.exhausted = self._steps >= self._limits.steps
        self.late = not self.exhausted and time.monotonic() > self._end
        return int(self.exhausted or self.late or self._cancelled.is_set())
