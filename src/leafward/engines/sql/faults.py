"""From SQLite's errors to ours: whose fault it is, and at which column."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

from leafward.engines.sql.guard import Guard
from leafward.engines.sql.limits import SqlLimits
from leafward.engines.sql.words import Token
from leafward.errors import EngineUnavailable, LeafwardError, QuerySyntaxError

_OURS = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_SCHEMA,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
_NEAR = re.compile(r'near "(?P<text>.*)": syntax error\Z', re.DOTALL)
_UNRECOGNISED = re.compile(r'unrecognized token: "(?P<text>.*)"\Z', re.DOTALL)
_NAMED = re.compile(
    r"(?:no such (?:column|table|function)|ambiguous column name): (?P<name>.*?)"
    r"(?: - should this be a string literal in single-quotes\?)?\Z",
    re.DOTALL,
)

Complaint = Callable[[int], str]
"""What SQLite says of the first so many characters of a statement; empty where nothing."""


def translate(
    error: sqlite3.Error, guard: Guard, limits: SqlLimits, read: list[Token], complaint: Complaint
) -> LeafwardError:
    """The error of ours for one of SQLite's."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if guard.refused:
        return QuerySyntaxError(guard.refused, hint="write one SELECT statement that reads tables")
    if guard.exhausted:
        return QuerySyntaxError(
            f"the statement takes more than {limits.steps:,} steps",
            hint="join on keys, bound recursion, or select fewer rows",
        )
    if guard.late or code == sqlite3.SQLITE_INTERRUPT:
        return EngineUnavailable(
            f"the statement was stopped after {limits.seconds:g} seconds",
            hint="the machine is busy or the time limit short: try again, or raise the limit",
        )
    if code in _OURS:
        return EngineUnavailable(
            f"the database cannot be read: {error}", hint="check the file, then try again"
        )
    if code == sqlite3.SQLITE_TOOBIG:
        return QuerySyntaxError(
            f"a value is longer than {limits.cell:,} bytes", hint="select something shorter"
        )
    message = str(error)
    return QuerySyntaxError(message, column=_column(message, read, complaint), hint=_hint(message))


def _hint(message: str) -> str:
    if message.startswith(("no such", "ambiguous")):
        return "use the tables and columns of the schema, with the table's name where two share one"
    return "write one SELECT statement in SQLite's SQL"


def _column(message: str, read: list[Token], complaint: Complaint) -> int | None:
    """The column from 1 that a message speaks of, where it can be told."""
    if message == "incomplete input":
        return read[-1].end + 1 if read else 1
    if named := _NAMED.match(message):
        last = named["name"].rpartition(".")[2].lower()
        return next((token.start + 1 for token in read if token.name == last), None)
    found = _NEAR.match(message) or _UNRECOGNISED.match(message)
    if found is None:
        return None
    # SQLite reads from left to right: the first beginning that ends in these words and that it
    # complains about in the same way is where it stopped.
    for token in read:
        if token.text == found["text"] and complaint(token.end) == message:
            return token.start + 1
    return None
