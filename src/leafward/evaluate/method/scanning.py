"""The tokens of a method's text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from leafward.errors import MethodError

_TOKEN = re.compile(
    r'\s*(?:(?P<mark>[(),=>])|(?P<string>"(?:[^"\\]|\\.)*")|(?P<word>[^\s"(),=>]+))', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Token:
    """A mark, a word or a quoted string (its contents), with its column from 1."""

    kind: Literal["mark", "string", "word", "end"]
    text: str
    column: int


def tokens(text: str) -> list[Token]:
    """Every token of a text, the end as the last.

    Raises:
        MethodError: a quote that is not closed, or a string that is no JSON string.
    """
    found: list[Token] = []
    place = 0
    end = len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            column = place + len(text[place:]) - len(text[place:].lstrip()) + 1
            raise MethodError("a quote is not closed", column=column, hint='close it with "')
        found.append(_token(match))
        place = match.end()
    return [*found, Token("end", "", end + 1)]


def _token(match: re.Match[str]) -> Token:
    column = match.start(match.lastgroup or 0) + 1
    if match["mark"] is not None:
        return Token("mark", match["mark"], column)
    if match["word"] is not None:
        return Token("word", match["word"], column)
    try:
        return Token("string", json.loads(match["string"], strict=False), column)
    except ValueError as error:
        raise MethodError(
            f"{match['string']} is no string", column=column, hint="write it as in JSON"
        ) from error
