"""Reading JSON brackets without recursion: how deep they go, where they end, where they break."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_DEPTH = 64
"""Deeper nesting is an attack or a loop, never an answer; parsers behind us recurse."""

_CLOSES = {"{": "}", "[": "]"}
_SPACE = " \t\r\n"
_SINGLE = ",:{}[]" + _SPACE
_BARE = re.compile(r"""[^,:{}\[\]" \t\r\n]+""")


@dataclass(slots=True)
class _Open:
    """A bracket that was not closed yet; ``whole`` is where its last finished member ends."""

    bracket: str
    in_list: bool
    whole: int
    seen_key: bool = False  # of an object: the next value belongs to a member that has begun


@dataclass(slots=True)
class Scan:
    """What a pass over a text from one bracket on found.

    ``end`` is one past the bracket that closes the first, or None where the text ends (or stops
    being JSON) before that; ``depth`` is the deepest nesting met.
    """

    start: int
    end: int | None = None
    depth: int = 0
    stack: list[_Open] = field(default_factory=list)


def scan(text: str, start: int) -> Scan:
    """Follow brackets and strings from ``text[start]``, which must be ``{`` or ``[``."""
    found = Scan(start)
    position = start
    while 0 <= position < len(text) and found.end is None and found.depth <= MAX_DEPTH:
        sign = text[position]
        position = _token_end(text, position)
        if not _take(found, sign, position, last=position == len(text)):
            break
    return found


def closed(text: str, found: Scan) -> str:
    """The finished part of a broken-off JSON text, with its brackets closed.

    An unfinished string, number or object is dropped; so is a whole list item of which any part is
    missing, because half an item says something else than the model meant. Members of the objects
    that enclose lists are kept as far as they came.
    """
    keep = found.stack
    for index, bracket in enumerate(found.stack):
        if bracket.in_list:
            keep = found.stack[:index]
            break
    if not keep:
        return ""
    cut = keep[-1].whole
    return text[found.start : cut] + "".join(_CLOSES[each.bracket] for each in reversed(keep))


def _take(found: Scan, sign: str, end: int, *, last: bool) -> bool:
    """Note the token that begins with ``sign`` and ends at ``end``; False where JSON ends."""
    if sign in "{[":
        _push(found, sign, end)
    elif sign in "}]":
        return _pop(found, sign, end)
    elif sign in ",:":
        holder = found.stack[-1]
        holder.seen_key = sign == ":" and holder.bracket == "{"
    elif sign not in _SPACE and end > 0 and (sign == '"' or not last):
        # An unfinished string has no end, and a bare value at the very end may go on: 12 of 123.
        _finish_value(found.stack[-1], end)
    return True


def _token_end(text: str, start: int) -> int:
    """One past the string, bare value or single sign at ``start``; -1 in an unfinished string."""
    sign = text[start]
    if sign == '"':
        return _string_end(text, start)
    if sign in _SINGLE:
        return start + 1
    match = _BARE.match(text, start)
    return match.end() if match else start + 1


def _string_end(text: str, start: int) -> int:
    position = start + 1
    while True:
        quote = text.find('"', position)
        if quote < 0:
            return -1
        slashes = quote
        while text[slashes - 1] == "\\" and slashes - 1 > start:
            slashes -= 1
        if (quote - slashes) % 2 == 0:
            return quote + 1
        position = quote + 1


def _push(found: Scan, bracket: str, position: int) -> None:
    in_list = bool(found.stack) and found.stack[-1].bracket == "["
    found.stack.append(_Open(bracket, in_list, position))
    found.depth = max(found.depth, len(found.stack))


def _pop(found: Scan, sign: str, position: int) -> bool:
    if _CLOSES[found.stack[-1].bracket] != sign:
        return False
    found.stack.pop()
    if found.stack:
        _finish_value(found.stack[-1], position)
    else:
        found.end = position
    return True


def _finish_value(holder: _Open, position: int) -> None:
    """A value (or key) ends here: in a list that finishes an item, in an object a keyed value."""
    if holder.bracket == "[" or holder.seen_key:
        holder.whole = position
