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
    OPERATOR = "operator"
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
    | (?P<unclosed>.)
    """,
    re.VERBOSE,
)
_KINDS = {
    "phrase": Kind.PHRASE,
    "tag": Kind.TAG,
    "open": Kind.OPEN,
    "close": Kind.CLOSE,
    "word": Kind.WORD,
}
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_CLOSERS = frozenset({Kind.PHRASE, Kind.TAG, Kind.CLOSE})
_OPENERS = frozenset({Kind.PHRASE, Kind.OPEN})


def tokenize(text: str) -> list[Token]:
    """Tokens in order, the last of kind END.

    Raises:
        QuerySyntaxError: a quote or bracket that is not closed.
    """
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        name = match.lastgroup
        if name is None:
            continue
        if name == "unclosed":
            raise _unclosed(match.group(), match.start())
        tokens.append(Token(_KINDS[name], match[name], *match.span()))
    tokens.append(Token(Kind.END, "", len(text), len(text)))
    _mark_operators(tokens)
    return tokens


def _mark_operators(tokens: list[Token]) -> None:
    """Words in capitals are operators; others beside a tag, a quote or a parenthesis are too.

    Between plain words ``or`` and ``not`` are English.
    """
    before = Kind.END
    for at, token in enumerate(tokens):
        if token.kind is Kind.WORD and len(token.text) <= 3:
            name = token.text.upper()
            if name in _OPERATORS and (
                token.text == name or before in _CLOSERS or tokens[at + 1].kind in _OPENERS
            ):
                tokens[at] = token._replace(kind=Kind.OPERATOR)
        before = token.kind


def _unclosed(character: str, position: int) -> QuerySyntaxError:
    if character in QUOTES:
        message, hint = "this quote is not closed", 'write a " at the end of the phrase'
    elif character == "[":
        message, hint = "this bracket is not closed", "write a ] at the end of the tag"
    else:
        message, hint = "this bracket closes nothing", "take it out, or write [ before the tag"
    return QuerySyntaxError(message, column=position + 1, hint=hint)
