"""The engine: one reading statement over an SQLite file."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from leafward.engines.sql.faults import translate
from leafward.engines.sql.guard import Guard
from leafward.engines.sql.limits import SqlLimits, apply_limits
from leafward.engines.sql.schema import Schema, declare, read_schema
from leafward.engines.sql.statement import check_statement
from leafward.engines.sql.words import Token, orders
from leafward.errors import SettingsError
from leafward.store.database import needs_immutable
from leafward.types import Hit, Ranking
from leafward.types.tables import Cell, Table

_FETCH = 100


class SqlEngine:
    """Executes one SELECT over an SQLite file, which nothing can change.

    The file is opened read-only, an authorizer denies all but reading, and every statement has a
    connection of its own, so that none leaves a trace for the next. Safe in threads.
    """

    def __init__(self, path: Path, limits: SqlLimits = SqlLimits()) -> None:  # noqa: B008 - frozen
        self.path = path
        self.limits = limits
        self._uri = f"{path.absolute().as_uri()}?mode=ro"
        if needs_immutable(path):
            self._uri += "&immutable=1"
        self._schema = Schema("")

    @classmethod
    def open(cls, path: Path, limits: SqlLimits = SqlLimits()) -> SqlEngine:  # noqa: B008 - frozen
        """Open a file and read its schema.

        Raises:
            SettingsError: there is no such file, or it is no SQLite database.
        """
        if not path.is_file():
            raise SettingsError(f"there is no database {path}", hint="check the path after sql:")
        engine = cls(path, limits)
        try:
            with closing(engine._connect()) as connection:
                engine._schema = read_schema(connection)
        except sqlite3.Error as error:
            raise SettingsError(
                f"{path} cannot be read as an SQLite database: {error}",
                hint="name an SQLite file that you may read",
            ) from error
        return engine

    @property
    def syntax(self) -> str:
        """SQLite's SQL."""
        return "sql"

    @property
    def schema(self) -> str:
        """Tables with their columns and types, one a line, as a prompt shows them."""
        return self._schema.text

    async def search(self, expression: str, *, k: int) -> Ranking:
        """The answer as a ranking: the first column's distinct values, as text, in their order.

        NULL is no document. A hit's score is 1 / rank; ``total`` counts the values, and is None
        where a limit cut the answer off.

        Raises:
            QuerySyntaxError: no single statement, malformed, not reading, or beyond a limit.
            EngineUnavailable: the file cannot be read, or the clock ran out.
        """
        return as_ranking(await self.table(expression), k)

    async def table(self, expression: str) -> Table:
        """The whole answer, up to the limits on rows and bytes; raises as :meth:`search`."""
        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(self.read, expression, cancelled)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def read(self, expression: str, cancelled: threading.Event | None = None) -> Table:
        """Blocking twin of :meth:`table`; stops soon after ``cancelled`` is set."""
        statement = check_statement(expression, self.limits)
        guard = Guard(self.limits, cancelled or threading.Event())
        connection = None
        try:
            connection = self._guarded(guard)
            with closing(connection.execute(expression)) as cursor:
                return self._fetched(cursor, ordered=orders(statement))
        except sqlite3.Error as error:
            raise self._translated(error, guard, expression, statement) from error
        finally:
            if connection is not None:
                connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._uri, uri=True, isolation_level=None, timeout=1.0)
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            connection.text_factory = _decode
            apply_limits(connection, self.limits)
        except BaseException:
            connection.close()
            raise
        return connection

    def _guarded(self, guard: Guard) -> sqlite3.Connection:
        connection = self._connect()
        try:
            declare(connection, self._schema)
        except BaseException:
            connection.close()
            raise
        guard.watch(connection)
        return connection

    def _fetched(self, cursor: sqlite3.Cursor, *, ordered: bool) -> Table:
        columns = tuple(column[0] for column in cursor.description)
        rows: list[tuple[Cell, ...]] = []
        size = 0
        while found := cursor.fetchmany(_FETCH):
            for row in found:
                size += sum(_size(cell) for cell in row)
                if len(rows) == self.limits.rows or size > self.limits.bytes:
                    return Table(columns, tuple(rows), truncated=True, ordered=ordered)
                rows.append(row)
        return Table(columns, tuple(rows), ordered=ordered)

    def _translated(
        self, error: sqlite3.Error, guard: Guard, expression: str, read: list[Token]
    ) -> Exception:
        def complaint(length: int) -> str:
            try:
                with closing(self._guarded(Guard(self.limits, threading.Event()))) as connection:
                    connection.execute(f"EXPLAIN {expression[:length]}").close()
            except sqlite3.Error as found:
                return str(found)
            return ""

        return translate(error, guard, self.limits, read, complaint)


def as_ranking(table: Table, k: int) -> Ranking:
    """A table as a ranking of its first column's distinct values."""
    values = dict.fromkeys(_text(row[0]) for row in table.rows if row[0] is not None)
    hits = tuple(Hit(value, 1.0 / rank) for rank, value in enumerate(values, start=1))
    return Ranking(hits[: max(k, 0)], total=None if table.truncated else len(values))


def _text(cell: Cell) -> str:
    return cell.hex() if isinstance(cell, bytes) else str(cell)


def _size(cell: Cell) -> int:
    return len(cell) if isinstance(cell, (str, bytes)) else 8


def _decode(text: bytes) -> str:
    """Text as SQLite holds it, which need not be UTF-8."""
    return text.decode("utf-8", "replace")
