"""Every model answer under its content hash, durable before it is used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from leafward.closing import Closing
from leafward.store.codec import clean_json, now, timestamp
from leafward.store.side import SideConnection
from leafward.types import Usage

DATABASE = "index.sqlite"


@dataclass(frozen=True, slots=True)
class CallStats:
    """What is stored for one model and kind of call; ``usage`` is what it cost when it was paid."""

    model: str
    kind: str
    answers: int
    usage: Usage


class CallCache(Closing):
    """The calls of an index, or of an SQLite file of their own.

    Has its own connection, so several tasks, threads and processes may use it at once, beside a
    writer and beside read-only openers. Implements :class:`leafward.protocols.CallCache`.

    In a place that may not be written to it answers what is stored and refuses to put.

    Args:
        path: an index directory, or the SQLite file itself; made where it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path / DATABASE if path.is_dir() else path
        self._database = SideConnection(self.path)

    def get(self, key: str) -> str | None:
        """The stored answer, or None."""
        rows = self._database().rows("SELECT answer FROM calls WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None

    def put(
        self, key: str, *, kind: str, model: str, request: str, answer: str, usage: Usage
    ) -> None:
        """Store an answer; returns when it is on the disk. The first answer to a key stays.

        Raises:
            StoreError: the place cannot be written to.
        """
        self._database().write(
            "INSERT INTO calls (key, kind, model, request, answer, calls, prompt_tokens,"
            " cached_tokens, completion_tokens, money, created)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
            (
                *(key, kind, model, clean_json(request), clean_json(answer)),
                *(usage.calls, usage.prompt_tokens, usage.cached_tokens),
                *(usage.completion_tokens, usage.money, now()),
            ),
        )

    def stats(self) -> tuple[CallStats, ...]:
        """What is stored, by model and kind; money is None where any price was unknown."""
        rows = self._database().rows(
            "SELECT model, kind, count(*), sum(calls), sum(prompt_tokens), sum(cached_tokens),"
            " sum(completion_tokens), CASE WHEN count(money) = count(*) THEN sum(money) END"
            " FROM calls GROUP BY model, kind ORDER BY model, kind"
        )
        return tuple(CallStats(row[0], row[1], row[2], Usage(*row[3:8])) for row in rows)

    def clear(self, *, model: str | None = None, older_than: timedelta | None = None) -> int:
        """Forget answers of one model (or all), older than an age (or any); returns how many.

        They are paid for again when they are next needed.
        """
        before = None if older_than is None else timestamp(datetime.now(UTC) - older_than)
        cursor = self._database().write(
            "DELETE FROM calls WHERE (:model IS NULL OR model = :model)"
            " AND (:before IS NULL OR created < :before)",
            {"model": model, "before": before},
        )
        return cursor.rowcount

    def close(self) -> None:
        """Close the connection; a later call opens it again."""
        self._database.close()
