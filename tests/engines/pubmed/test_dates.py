"""Ranges of days tile what they are cut from, and every record is found once."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from leafward.engines.pubmed.answers import Found
from leafward.engines.pubmed.dates import ANY, Collected, Dates, collect
from leafward.engines.pubmed.searching import Searcher

DAYS = st.dates(date(1850, 1, 1), date(2030, 12, 31))
ENTERED = st.dates(date(1990, 1, 1), date(2025, 12, 31))


@given(st.tuples(DAYS, DAYS))
def test_halves_tile(ends: tuple[date, date]) -> None:
    first, last = sorted(ends)
    dates = Dates(first, last)
    if dates.days == 1:
        return
    earlier, later = dates.halves()
    assert (earlier.first, later.last) == (first, last)
    assert earlier.last + timedelta(days=1) == later.first
    assert abs(earlier.days - later.days) <= 1


def test_days_as_pubmed_writes_them() -> None:
    assert Dates(date(2004, 5, 6), date(2010, 12, 31)).fields == ("2004/05/06", "2010/12/31")


class Library:
    """Records with days of publication and entry, which gives out only ``window`` of a search."""

    def __init__(self, records: list[tuple[date | None, date]], window: int) -> None:
        self.records = {str(number): dates for number, dates in enumerate(records)}
        self.window = window
        self.largest = 0

    async def page(self, term: str, published: Dates | None, start: int, size: int) -> Found:
        assert start < self.window or size == 0
        found = [
            (day or date.min, number)
            for number, (day, entered) in self.records.items()
            if (published is None or (day and published.first <= day <= published.last))
            and _entered(term, entered)
        ]
        found.sort(key=lambda pair: (-pair[0].toordinal(), pair[1]))
        ids = [number for _, number in found][start : min(start + size, self.window)]
        self.largest = max(self.largest, len(ids))
        return Found(len(found), tuple(ids), ())


def _entered(term: str, entered: date) -> bool:
    if not term.endswith("[edat]"):
        return True
    first, last = term.removesuffix("[edat]").rsplit(" ", 1)[1].split(":")
    return first <= f"{entered:%Y/%m/%d}" <= last


@given(
    st.lists(st.tuples(st.one_of(st.none(), DAYS), ENTERED), max_size=60),
    st.integers(1, 8),
    st.integers(0, 70),
)
async def test_everything_is_found_once_newest_first(
    records: list[tuple[date | None, date]], window: int, k: int
) -> None:
    library = Library(records, window)
    found = await Searcher(library.page, window).search("x", None, k)
    assert found.count == len(records)
    assert len(set(found.ids)) == len(found.ids) <= min(k, len(records))
    assert library.largest <= window
    days = [library.records[number][0] for number in found.ids]
    if len(records) > window and k > window:
        dated = sorted((day for day, _ in records if day is not None), reverse=True)
        assert days == dated[:k] or _crowded(records, window)
        if None in {day for day, _ in records} and k >= len(records):
            assert any("without a date" in note for note in found.notes)
    else:
        assert len(found.ids) == min(k, len(records), window)


def _crowded(records: list[tuple[date | None, date]], window: int) -> bool:
    """Whether more records share both days than one search can give out."""
    return any(records.count(pair) > window for pair in records)


async def test_a_day_that_holds_too_many_is_cut_by_entry() -> None:
    january = date(2004, 1, 1)
    records: list[tuple[date | None, date]] = [
        (january, date(2005, 1, 1) + timedelta(days=number)) for number in range(50)
    ]
    library = Library(records, 5)
    found = await Searcher(library.page, 5).search("x", None, 100)
    assert set(found.ids) == set(library.records)
    assert found.notes == ()


async def test_what_cannot_be_reached_is_said() -> None:
    records: list[tuple[date | None, date]] = [(date(2004, 1, 1), date(2005, 2, 3))] * 12
    found = await Searcher(Library(records, 5).page, 5).search("x", None, 12)
    assert len(found.ids) == 5
    assert found.notes == ("7 records of 2004/01/01 cannot be reached",)


async def test_nothing_is_asked_beyond_what_is_wanted() -> None:
    asked: list[Dates] = []

    async def count(dates: Dates) -> int:
        asked.append(dates)
        return 10

    async def fetch(dates: Dates, most: int) -> list[str]:
        return [f"{dates.first}-{number}" for number in range(most)]

    into = Collected(3)
    await collect(into, ANY, 20, count=count, fetch=fetch, day=fetch, window=10)
    assert len(into.ids) == 3
    assert len(asked) == 1
