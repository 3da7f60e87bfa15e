"""Whether two SQL results are the same (query-writing §3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from leafward.writing.outcomes import Row

_DIGITS = 10
"""Significant digits of a fraction: beyond them sums differ with the order of their parts."""

_SKIPPED = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `(?:[^`]|``)*` | \[[^\]]*\]"""
    r""" | --[^\n]* | /\*.*?(?:\*/|$)""",
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"[()]|\w+")


def same_rows(rows: Sequence[Row], gold: Sequence[Row], *, ordered: bool) -> bool:
    """Whether rows equal the gold rows as a multiset, or also in their order.

    Columns count by position; their names say nothing. Whole numbers equal fractions of the same
    value, as in SQL; text, blobs and NULL equal only their like.
    """
    mine, theirs = [_rounded(row) for row in rows], [_rounded(row) for row in gold]
    return mine == theirs if ordered else Counter(mine) == Counter(theirs)


def orders(sql: str) -> bool:
    """Whether a query orders its result: an ORDER BY outside every parenthesis."""
    depth, before = 0, ""
    for word in _words(sql):
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth == 0 and (before, word) == ("ORDER", "BY"):
            return True
        before = word
    return False


def _words(sql: str) -> Iterator[str]:
    """Words and parentheses in capitals; literals, quoted names and comments left out."""
    for match in _WORD.finditer(_SKIPPED.sub(" 0 ", sql)):
        yield match.group().upper()


def _rounded(row: Row) -> Row:
    return tuple(
        float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value for value in row
    )
