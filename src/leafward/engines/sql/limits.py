"""What one SQL statement may take."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SqlLimits:
    """Limits of one statement.

    ``steps`` are instructions of SQLite's virtual machine: the same statement over the same file
    takes as many on every machine, so that it is the statement's fault to take more. ``seconds`` is
    the clock behind them, for what no step count sees: to reach it says as much of the machine as
    of the statement, and counts as ours. ``cell`` is the longest text or blob in bytes that may be
    read or made: some functions take a time that grows with its square, and none can be stopped.
    """

    rows: int = 10_000
    bytes: int = 16_000_000
    steps: int = 50_000_000
    seconds: float = 20.0
    cell: int = 200_000
    characters: int = 20_000


def apply_limits(connection: sqlite3.Connection, limits: SqlLimits) -> None:
    """Bound what SQLite's own parser and machine accept."""
    for kind, most in (
        (sqlite3.SQLITE_LIMIT_LENGTH, limits.cell),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 4 * limits.characters + 16),
        (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 200),
        (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (sqlite3.SQLITE_LIMIT_VDBE_OP, 250_000),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
        (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 10),
        (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
    ):
        connection.setlimit(kind, most)
