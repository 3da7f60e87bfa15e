"""What answers are worth, as the shares that a picture stacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MOST_LEVELS = 9
"""More rewards of an answer than any table has: a measure, which is shown in bands."""

_BANDS = ((0.75, "over 0.75"), (0.5, "over 0.5"), (0.25, "over 0.25"), (0.0, "over 0"))


def tier_shares(rows: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """Shares by tier, one for each row: the levels themselves, best first, or bands of a measure
    between 0 and 1."""
    levels = sorted({level for row in rows for level in row}, key=float, reverse=True)
    names = {level: level for level in levels}
    if len(levels) > _MOST_LEVELS:
        names = {level: _band(float(level)) for level in levels}
    return {
        name: [sum(share for level, share in row.items() if names[level] == name) for row in rows]
        for name in dict.fromkeys(names.values())
    }


def _band(value: float) -> str:
    return next((name for least, name in _BANDS if value > least), "0")
