"""Publication dates as PubMed writes them: a year, a month, or a day."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass

_WRITTEN = re.compile(r"(\d{4})(?:[/-](\d{1,2})(?:[/-](\d{1,2}))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A year, with a month and a day where they are known."""

    year: int
    month: int | None = None
    day: int | None = None

    def __str__(self) -> str:
        parts = [f"{self.year:04d}"]
        parts += [f"{part:02d}" for part in (self.month, self.day) if part is not None]
        return "/".join(parts)

    @property
    def start(self) -> int:
        """Its first day as the number yyyymmdd."""
        return self.year * 10_000 + (self.month or 1) * 100 + (self.day or 1)

    @property
    def end(self) -> int:
        """Its last day as the number yyyymmdd; day 31 stands for the end of any month."""
        return self.year * 10_000 + (self.month or 12) * 100 + (self.day or 31)


def read_date(text: str) -> PartialDate | None:
    """Read ``2005``, ``2005/03`` or ``2005/03/17`` (or with dashes); None where it is no date."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    if not year or (month is not None and not 1 <= month <= 12):
        return None
    if day is not None and not 1 <= day <= calendar.monthrange(year, month or 1)[1]:
        return None
    return PartialDate(year, month, day)
