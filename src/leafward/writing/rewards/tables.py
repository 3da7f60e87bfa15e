"""Whether two SQL results are the same (query-writing §3)."""

from __future__ import annotations

from collections import Counter

from leafward.types.tables import Cell, Table

_DIGITS = 10
"""Significant digits of a fraction: beyond them sums differ with the order of their parts."""


def same_result(table: Table, gold: Table) -> bool:
    """Whether a result equals the gold result as a multiset of rows, in order where gold orders.

    Columns count by position; their names say nothing. Whole numbers equal fractions of the same
    value, as in SQL; text, blobs and NULL equal only their like.
    """
    mine, theirs = [_rounded(row) for row in table.rows], [_rounded(row) for row in gold.rows]
    return mine == theirs if gold.ordered else Counter(mine) == Counter(theirs)


def _rounded(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    return tuple(
        float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value for value in row
    )
