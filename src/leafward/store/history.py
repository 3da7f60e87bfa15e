"""What happened to an index: entries of the build journal, and traces of searches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from leafward.store.codec import clean, dump, now
from leafward.store.side import SideConnection
from leafward.types import JsonValue, Trace


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A stage of a build that reached a state at a time (ISO 8601, UTC)."""

    stage: str
    state: str
    created: str
    detail: Mapping[str, JsonValue]


class History:
    """Reads and writes the journal and the traces over a connection of its own."""

    def __init__(self, path: Path) -> None:
        self._database = SideConnection(path)

    def add_entry(self, stage: str, state: str, detail: Mapping[str, JsonValue]) -> None:
        self._database().write(
            "INSERT INTO journal (stage, state, detail, created) VALUES (?, ?, ?, ?)",
            (stage, state, dump(detail), now()),
        )

    def entries(self, limit: int) -> list[JournalEntry]:
        """The latest entries, oldest first."""
        rows = self._database().rows(
            "SELECT stage, state, created, detail FROM journal ORDER BY id DESC LIMIT ?", (limit,)
        )
        return [JournalEntry(row[0], row[1], row[2], json.loads(row[3])) for row in reversed(rows)]

    def add_trace(self, generation: int, trace: Trace) -> int:
        """Store a trace and return its number."""
        text = json.dumps(_traces().dump_python(trace, mode="json"))
        cursor = self._database().write(
            "INSERT INTO traces (generation, query, trace, created) VALUES (?, ?, ?, ?)",
            (generation, clean(trace.query), text, now()),
        )
        return int(cursor.lastrowid or 0)

    def traces(self, query: str | None, limit: int, *, key: str | None = None) -> list[Trace]:
        """The latest traces, of one query or of all, with one key or any, oldest first."""
        rows = self._database().rows(
            "SELECT trace FROM traces WHERE (:query IS NULL OR query = :query)"
            " AND (:key IS NULL OR json_extract(trace, '$.key') = :key)"
            " ORDER BY id DESC LIMIT :limit",
            {"query": None if query is None else clean(query), "key": key, "limit": limit},
        )
        return [_traces().validate_python(json.loads(row[0])) for row in reversed(rows)]

    def close(self) -> None:
        self._database.close()


@cache
def _traces() -> TypeAdapter[Trace]:
    return TypeAdapter(Trace)
