"""Cutting an expression into words, phrases, tags and parentheses."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from leafward.errors import QuerySyntaxError

QUOTES = '"“”„″'
"""Straight and typographic quotes mean the same."""


class Kind(Enum):
    """What a token is."""

    WORD = "word"
    PHRASE = "phrase"
    TAG = "tag"
    OPEN = "("
    CLOSE = ")"
    END = "end"


class Token(NamedTuple):
    """A piece of an expression; ``text`` is without quotes and brackets, ``start`` from 0."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def column(self) -> int:
        return self.start + 1


_TOKEN = re.compile(
    rf"""\s+
    | [{QUOTES}](?P<phrase>[^{QUOTES}]*)[{QUOTES}]
    | \[(?P<tag>[^\[\]{QUOTES}()]*)\]
    | (?P<open>\() | (?P<close>\))
    | (?P<word>[^\s()\[\]{QUOTES}]+)
    """,
    re.VERBOSE,
)
_KINDS = {"phrase": Kind.PHRASE, "tag": Kind.TAG, "open": Kind.OPEN, "close": Kind.CLOSE}


def tokenize(text: str) -> list[Token]:
    """Tokens in order, the last of kind END.

    Raises:
        QuerySyntaxError: a quote or bracket that is not closed.
    """
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unclosed(text[position], position)
        if (name := match.lastgroup) is not None:
            kind = _KINDS.get(name, Kind.WORD)
            tokens.append(Token(kind, match[name], position, match.end()))
        position = match.end()
    tokens.append(Token(Kind.END, "", len(text), len(text)))
    return tokens


def _unclosed(character: str, position: int) -> QuerySyntaxError:
    if character in QUOTES:
        message, hint = "this quote is not closed", 'write a " at the end of the phrase'
    elif character == "[":
        message, hint = "this bracket is not closed", "write a ] at the end of the tag"
    else:
        message, hint = "this bracket closes nothing", "take it out, or write [ before the tag"
    return QuerySyntaxError(message, column=position + 1, hint=hint)
