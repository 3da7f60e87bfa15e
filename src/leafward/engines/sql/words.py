"""SQL text as tokens: enough to find where a statement ends, how it begins, and whether it orders.

SQLite itself decides what a statement means; nothing here is trusted to keep anything out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_TOKEN = re.compile(
    r"""
    (?P<gap> \s+ | --[^\n]* | /\*.*?(?:\*/|\Z) )
  | (?P<quoted> '(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z) | `(?:[^`]|``)*(?:`|\Z)
              | \[[^\]]*(?:\]|\Z) )
  | (?P<word> [^\W\d][\w$]* )
  | (?P<other> \d[\w.]* | . )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token of SQL; ``start`` and ``end`` count characters from 0, ``depth`` open parentheses."""

    text: str
    start: int
    end: int
    depth: int
    quoted: bool = False

    @property
    def name(self) -> str:
        """The text in lower case, without quotes around it."""
        return (self.text[1:-1] if self.quoted else self.text).lower()


def tokens(sql: str) -> Iterator[Token]:
    """The tokens of a text without blanks and comments; any text has some reading."""
    depth = 0
    for found in _TOKEN.finditer(sql):
        if found.lastgroup == "gap":
            continue
        text = found[0]
        if text == ")":
            depth -= 1
        yield Token(text, found.start(), found.end(), depth, found.lastgroup == "quoted")
        if text == "(":
            depth += 1


def orders(read: list[Token]) -> bool:
    """Whether the outermost query says in which order its rows come."""
    words = [token.name for token in read if token.depth == 0 and not token.quoted]
    return any(pair == ("order", "by") for pair in pairwise(words))
