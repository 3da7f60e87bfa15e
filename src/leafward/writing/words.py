"""Words of a need, for expressions that cost nothing."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_STOP = frozenset(
    """
    a about after all an and any are as at be been before between but by can could did do does
    during each for from group groups had has have how if in into is it its may more most no
    non nor not of on one or other our over per same should so some such than that the their
    them then there these they this those to under using versus vs was we were what when where
    which while who whose why will with within without would you your
    """.split()  # noqa: SIM905 - a list of sixty quoted words reads worse
)
"""English function words, and those of trials that say nothing of what was tried."""


def content_words(text: str) -> list[str]:
    """Words that carry meaning, in lower case, each once, in order; of all words if none does."""
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))
    carrying = [word for word in words if word not in _STOP and any(map(str.isalpha, word))]
    return carrying or words
