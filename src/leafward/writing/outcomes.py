"""What came of an expression, and whose fault it is where nothing did."""

from __future__ import annotations

from dataclasses import dataclass

from leafward.types import Flaw

Value = str | int | float | bytes | None
Row = tuple[Value, ...]
"""A row of an SQL result."""


@dataclass(frozen=True, slots=True)
class Executed:
    """What an expression found: ids best first with the count of all matches, or rows."""

    ids: tuple[str, ...] = ()
    total: int | None = None
    rows: tuple[Row, ...] | None = None
    truncated: bool = False

    @property
    def hits(self) -> int:
        """All matches where the engine counts them, else those that it returned."""
        if self.rows is not None:
            return len(self.rows)
        return len(self.ids) if self.total is None else self.total

    @property
    def size(self) -> int:
        """What it takes to remember this, in ids."""
        return 1 + len(self.ids) + len(self.rows or ())


@dataclass(frozen=True, slots=True)
class Refused:
    """An expression that the engine rejected as malformed: the policy's fault."""

    flaw: Flaw
    size: int = 1


@dataclass(frozen=True, slots=True)
class Failed:
    """An expression that could not be executed by our own fault; never remembered."""

    reason: str


Execution = Executed | Refused | Failed
