"""The schema of a database: what a prompt shows of it, and what a connection must know of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

_BUILT_IN = ("json_each", "json_tree")
"""Virtual tables that any statement may read beside those of the file."""


@dataclass(frozen=True, slots=True)
class Schema:
    """Tables as a prompt shows them, and the names of those that are virtual."""

    text: str
    virtual: tuple[str, ...] = ()


def read_schema(connection: sqlite3.Connection) -> Schema:
    """Tables and views, one a line: ``city(city_name text, population int)``, then foreign keys."""
    tables = connection.execute(
        "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    ).fetchall()
    lines = [_line(connection, name) for name, _ in tables]
    return Schema("\n".join(lines), tuple(name for name, kind in tables if kind == "virtual"))


def declare(connection: sqlite3.Connection, schema: Schema) -> None:
    """Make a connection know the virtual tables, which it otherwise learns by an UPDATE."""
    for name in (*_BUILT_IN, *schema.virtual):
        with suppress(sqlite3.OperationalError):  # no such module here: reading it will say so
            connection.execute(f'SELECT 1 FROM "{name.replace(chr(34), chr(34) * 2)}" LIMIT 0')


def _line(connection: sqlite3.Connection, name: str) -> str:
    columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", (name,)).fetchall()
    shown = ", ".join(f"{_quoted(column)} {kind.lower()}".rstrip() for column, kind in columns)
    return " ".join((f"{_quoted(name)}({shown})", *_references(connection, name)))


def _references(connection: sqlite3.Connection, name: str) -> Iterator[str]:
    keys = connection.execute(
        'SELECT "from", "table", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq', (name,)
    ).fetchall()
    for column, table, key in keys:
        target = _quoted(table) if key is None else f"{_quoted(table)}.{_quoted(key)}"
        yield f"{_quoted(column)}->{target}"


def _quoted(name: str) -> str:
    """A name as SQL takes it: as it is where it is a plain word, in quotes and on one line else."""
    if name.isascii() and name.isidentifier():
        return name
    return '"' + " ".join(name.split()).replace('"', '""') + '"'
