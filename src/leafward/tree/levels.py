"""The five levels of summaries, and which of them a node is clustered on (tree-search §2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leafward.tokens import estimate_tokens
from leafward.tree.text import fold

LEVELS = ((1, 2), (3, 4), (4, 6), (7, 10), (11, 20))
"""Fewest and most words of a summary at each level, broad to specific."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A distinct summary of a node's items.

    ``members`` are the items' numbers, ``count`` the leaves under them.
    """

    text: str
    members: tuple[int, ...]
    count: int

    @property
    def line(self) -> str:
        """How the entry stands in a prompt."""
        return f"{self.text} ({self.count})"


@dataclass(frozen=True, slots=True)
class Choice:
    """Levels that a node can be clustered on, the best first; ``crowded`` if none fits a prompt."""

    levels: tuple[int, ...]
    crowded: bool


def entries(
    summaries: Sequence[tuple[str, ...]], weights: Sequence[int], level: int
) -> list[Entry]:
    """Distinct summaries of the items at one level, in order of their first item."""
    members: dict[str, list[int]] = {}
    for number, summary in enumerate(summaries):
        members.setdefault(fold(summary[level]), []).append(number)
    return [
        Entry(summaries[held[0]][level], tuple(held), sum(weights[number] for number in held))
        for held in members.values()
    ]


def entry_tokens(found: Sequence[Entry]) -> int:
    """Estimated tokens of the entries' lines in a prompt."""
    return sum(estimate_tokens(entry.line) + 4 for entry in found)


def choose(
    summaries: Sequence[tuple[str, ...]],
    weights: Sequence[int],
    *,
    more_than: int,
    room: int,
    most: int,
) -> Choice:
    """Order the levels for a node: the most specific that fits ``room`` comes first.

    Only levels with more than ``more_than`` distinct summaries count. Behind the first stand the
    more specific ones that fit ``most`` tokens, for a second try. **[decided]** as v2 §2.1.
    """
    fitting: int | None = None
    retries: list[int] = []
    usable = False
    for level in reversed(range(len(LEVELS))):
        found = entries(summaries, weights, level)
        if len(found) <= more_than:
            continue
        usable = True
        tokens = entry_tokens(found)
        if tokens <= room:
            fitting = level
            break
        if tokens <= most:
            retries.insert(0, level)
    levels = () if fitting is None else (fitting, *retries[:1])
    return Choice(levels, crowded=usable and fitting is None)
