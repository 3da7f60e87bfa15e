"""What a database answers."""

from __future__ import annotations

from dataclasses import dataclass

Cell = str | int | float | bytes | None
"""One value of a row, as SQLite types it."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows in the order in which the query gave them.

    ``truncated`` is true where a limit on rows or bytes cut the rest off. ``ordered`` is true where
    the query itself says in which order rows come, so that it is part of the answer.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool = False
    ordered: bool = False
