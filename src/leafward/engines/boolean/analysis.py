"""How text becomes words and headings become keys: lower case, no accents, no stems."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from leafward.engines.analysis import valid

if TYPE_CHECKING:
    import tantivy

NAME = "leafward_boolean_1"
"""Written into every index; change it whenever the analysis changes."""

_LONGEST = 200
"""Bytes of a word; longer runs are data, not words, and would bloat the dictionary."""

_STOP_WORDS = """
a about again all almost also although always among an and another any are as at be because been
before being between both but by can could did do does done due during each either enough
especially etc for found from further had has have having here how however i if in into is it its
itself just kg km made mainly make may mg might ml mm most mostly must nearly neither no nor
obtained of often on our overall perhaps pmid quite rather really regarding seem seen several
should show showed shown shows significantly since so some such than that the their theirs them
then there therefore these they this those through thus to upon use used using various very was we
were what when which while with within without would
"""
STOP_WORDS = frozenset(_STOP_WORDS.split()) | {"or", "not"}
"""PubMed's stop words, and the operators where they stand as words."""


@lru_cache(maxsize=1)
def analyzer() -> tantivy.TextAnalyzer:
    """Words of letters and digits, lower case, without accents."""
    import tantivy

    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(_LONGEST))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .build()
    )


@lru_cache(maxsize=100_000)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a short text as they are indexed."""
    return tuple(analyzer().analyze(text if text.isascii() else valid(text)))


def key(text: str) -> str:
    """A heading, name or number as one term: its words with single blanks."""
    return " ".join(tokens(text))


@lru_cache(maxsize=100_000)
def heading_keys(heading: str) -> tuple[str, ...]:
    """A MeSH heading as ``sepsis``, and with a qualifier as ``sepsis/blood`` too."""
    main, slash, qualifier = heading.partition("/")
    keys = (key(main),)
    return (*keys, f"{keys[0]}/{key(qualifier)}") if slash and key(qualifier) else keys


@lru_cache(maxsize=10_000)
def journal_key(name: str) -> str:
    """A journal's name without a leading article."""
    return re.sub(r"^the (?=.)", "", key(name))
