"""Ranges of days, and how a search that finds too much is cut into them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date, timedelta

WINDOW = 9_999
"""Records of one search that PubMed gives out; it says 10,000, and cuts at one less in silence."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Days from ``first`` to ``last``, both included."""

    first: date = date(1700, 1, 1)
    last: date = date(2199, 12, 31)

    @property
    def days(self) -> int:
        """How many there are."""
        return (self.last - self.first).days + 1

    def halves(self) -> tuple[Dates, Dates]:
        """The earlier and the later half of two days or more."""
        middle = self.first + timedelta(days=(self.days // 2) - 1)
        return Dates(self.first, middle), Dates(middle + timedelta(days=1), self.last)

    @property
    def fields(self) -> tuple[str, str]:
        """First and last day as PubMed writes them."""
        return f"{self.first:%Y/%m/%d}", f"{self.last:%Y/%m/%d}"


ANY = Dates()

Count = Callable[[Dates], Awaitable[int]]
Fetch = Callable[[Dates, int], Awaitable[list[str]]]
"""The first so many ids of a range of days, newest first."""


@dataclass(slots=True)
class Collected:
    """Ids in the order in which they were found, each once."""

    wanted: int
    ids: dict[str, None] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """How many are still wanted."""
        return self.wanted - len(self.ids)


async def collect(
    into: Collected,
    whole: Dates,
    total: int,
    *,
    count: Count,
    fetch: Fetch,
    day: Fetch,
    window: int = WINDOW,
) -> None:
    """Collect ids from the newest days on, in ranges small enough to be given out whole.

    A range is halved until its count is at most ``window``. The halves of a range tile it, so
    that one count gives both.

    Args:
        total: the count of the whole.
        day: what to do with a single day that is still too large.
    """
    waiting = [(whole, total)]
    while waiting and into.left > 0:
        dates, found = waiting.pop()
        if found <= 0:
            continue
        if found <= window or dates.days == 1:
            give = fetch if found <= window else day
            into.ids |= dict.fromkeys(await give(dates, min(found, into.left)))
            continue
        earlier, later = dates.halves()
        newer = await count(later)
        waiting += [(earlier, found - newer), (later, newer)]
