"""What came of an expression, and whose fault it is where nothing did."""

from __future__ import annotations

from dataclasses import dataclass

from leafward.types import Flaw
from leafward.types.tables import Table


@dataclass(frozen=True, slots=True)
class Executed:
    """What an expression found: ids best first with the count of all matches, or a table."""

    ids: tuple[str, ...] = ()
    total: int | None = None
    table: Table | None = None

    @property
    def hits(self) -> int:
        """All matches where the engine counts them, else those that it returned."""
        if self.table is not None:
            return len(self.table.rows)
        return len(self.ids) if self.total is None else self.total

    @property
    def size(self) -> int:
        """What it takes to remember this, in ids and cells."""
        cells = len(self.table.rows) * len(self.table.columns) if self.table is not None else 0
        return 1 + len(self.ids) + cells


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
