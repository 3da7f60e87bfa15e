"""Terms with the tag [dp]: one date, or a range of them."""

from __future__ import annotations

from leafward.engines.boolean.dates import PartialDate, read_date
from leafward.engines.boolean.nodes import Dates
from leafward.errors import QuerySyntaxError

_HINT = "write 2005[dp], 2005/03[dp], 2005/03/17[dp] or 2000:2010[dp]"


def is_range(text: str) -> bool:
    """True where a term with [dp] has both of its ends."""
    return ":" in text


def read_range(text: str, column: int) -> Dates:
    """Read a date or ``first:last``; blanks are gone from the text.

    Raises:
        QuerySyntaxError: no date, or a range that ends before it begins.
    """
    first_text, colon, last_text = text.partition(":")
    first = _date(first_text, column)
    last = _date(last_text, column) if colon else first
    if last.end < first.start:
        raise QuerySyntaxError(
            f"the range {first}:{last} ends before it begins",
            column=column,
            hint=f"write {last}:{first}[dp]",
        )
    return Dates(first, last, column)


def _date(text: str, column: int) -> PartialDate:
    found = read_date(text)
    if found is None:
        shown = repr(text[:40]) if text else "nothing"
        raise QuerySyntaxError(f"{shown} is no date", column=column, hint=_HINT)
    return found
