"""Searching PubMed: pages of ids, and what lies beyond the records that one search gives out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from leafward.engines.pubmed.answers import Found
from leafward.engines.pubmed.dates import ANY, WINDOW, Collected, Dates, collect

Page = Callable[[str, Dates | None, int, int], Awaitable[Found]]
"""One answer of esearch: for an expression, days of publication, the first record, how many."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """Searches over one way of asking for a page; one search gives out ``window`` records."""

    page: Page
    window: int = WINDOW

    async def search(self, expression: str, published: Dates | None, k: int) -> Found:
        """The count, the first ``k`` ids, and PubMed's notes.

        Raises:
            QuerySyntaxError, EngineUnavailable: as the page does.
        """
        found = await self.page(expression, published, 0, min(max(k, 0), self.window))
        if k > self.window and found.count > self.window:
            ids, more = await self._sliced(expression, published, found.count, k)
            return Found(found.count, tuple(ids), found.notes + more)
        ids = await self._rest(expression, published, found, min(k, self.window))
        return Found(found.count, tuple(ids), found.notes)

    async def _fetch(self, expression: str, published: Dates, wanted: int) -> list[str]:
        found = await self.page(expression, published, 0, min(wanted, self.window))
        return await self._rest(expression, published, found, wanted)

    async def _count(self, expression: str, published: Dates) -> int:
        return (await self.page(expression, published, 0, 0)).count

    async def _rest(
        self, expression: str, published: Dates | None, found: Found, wanted: int
    ) -> list[str]:
        """The ids of a page, and of the pages after it where PubMed gave fewer than asked for."""
        ids = dict.fromkeys(found.ids)
        wanted = max(0, min(wanted, found.count, self.window))
        while len(ids) < wanted:
            page = await self.page(expression, published, len(ids), wanted - len(ids))
            if not set(page.ids) - ids.keys():
                break  # records that are counted and not given out
            ids |= dict.fromkeys(page.ids)
        return list(ids)[:wanted]

    async def _sliced(
        self, expression: str, published: Dates | None, total: int, k: int
    ) -> tuple[list[str], tuple[str, ...]]:
        """Ids by days of publication, newest first, and what could not be reached."""
        whole, into, notes = published or ANY, Collected(k), []

        async def count(dates: Dates) -> int:
            return await self._count(expression, dates)

        async def fetch(dates: Dates, wanted: int) -> list[str]:
            return await self._fetch(expression, dates, wanted)

        async def day(dates: Dates, wanted: int) -> list[str]:
            ids = await self._by_entry(expression, dates, wanted)
            if len(ids) < wanted:
                lost = wanted - len(ids)
                notes.append(f"{lost:,} records of {dates.fields[0]} cannot be reached")
            return ids

        dated = total if published is not None else await count(whole)
        await collect(into, whole, dated, count=count, fetch=fetch, day=day, window=self.window)
        if dated < total and into.left > 0:
            notes.append(f"{total - dated:,} records without a date of publication are not reached")
        return list(into.ids), tuple(notes)

    async def _by_entry(self, expression: str, published: Dates, wanted: int) -> list[str]:
        """Ids of one day of publication that holds too many, by days of entry into PubMed.

        Records of which only month or year is known count as of its first day, which can hold
        hundreds of thousands.
        """
        into = Collected(wanted)

        def narrowed(entered: Dates) -> str:
            first, last = entered.fields
            return f"({expression}) AND {first}:{last}[edat]"

        async def count(entered: Dates) -> int:
            return await self._count(narrowed(entered), published)

        async def fetch(entered: Dates, most: int) -> list[str]:
            return await self._fetch(narrowed(entered), published, most)

        await collect(
            into, ANY, await count(ANY), count=count, fetch=fetch, day=fetch, window=self.window
        )
        return list(into.ids)
