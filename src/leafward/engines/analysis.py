"""How text becomes terms: letters and digits, lower case, no stop words, English stems."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tantivy

NAME = "leafward_en_1"
"""Written into every index; change it whenever the analysis changes."""

_WORDS = """
a an and are as at be but by for if in into is it no not of on or such that the their then there
these they this to was will with
"""
STOP_WORDS = tuple(_WORDS.split())
"""Lucene's English stop words."""

_LONGEST = 200
"""Bytes of a term; longer runs are data, not words, and would bloat the dictionary."""


def analyzer() -> tantivy.TextAnalyzer:
    """The one analysis of documents and queries."""
    import tantivy

    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(_LONGEST))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.custom_stopword(list(STOP_WORDS)))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def valid(text: str) -> str:
    """The text with halves of surrogate pairs replaced, which no index can hold."""
    return text.encode("utf-8", "replace").decode()
