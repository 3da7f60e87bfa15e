"""From a model's text to a validated shape, keeping whatever part of it is sound."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel

from leafward.structured.salvage import says_nothing, validated
from leafward.structured.scanning import MAX_DEPTH, Scan, closed, scan
from leafward.types import JsonValue

Shape = TypeVar("Shape", bound=BaseModel)

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_BRACKET = re.compile(r"[{\[]")
_BEGINS_JSON = re.compile(r"""\{\s*(?:["'}]|\w+\s*:|$)|\[\s*(?:["'{]|$)""")
_MAX_STARTS = 64  # brackets tried as the beginning of the answer; prose has few
_MAX_SLOPPY = 200_000  # characters given to json-repair, whose time can grow faster than its input


def parse(text: str, shape: type[Shape]) -> tuple[Shape | None, bool]:
    """Read a shape from a model's text; ``(value or None, salvaged)``.

    Prose, code fences and a reasoning block around the JSON are ignored. ``salvaged`` is True where
    the JSON was broken off or malformed, or where parts of it were invalid and left out, so that
    more may have been meant than is here. Never raises on any text.
    """
    text = _THINKING.sub("", text).strip()
    for whole in _whole_values(text):
        value, complete = validated(whole, shape)
        if value is not None and complete:
            return value, False
    for broken in _broken_values(text):
        value, _ = validated(broken, shape)
        if value is not None and not says_nothing(broken):
            return value, True
    return None, True


def _whole_values(text: str) -> list[JsonValue]:
    """JSON values that stand complete in the text, the last one first: drafts come before it."""
    values = [_decoded(text[span.start : span.end]) for span in _spans(text) if span.end]
    return [value for value in reversed(values) if value is not None]


def _broken_values(text: str) -> Iterator[JsonValue]:
    """Readings of a text that holds no sound value, from the most to the least trustworthy."""
    yield from _whole_values(text)
    for span in _spans(text):
        part = text[span.start : span.end] if span.end else closed(text, span)
        value = None if span.end else _decoded(part)
        if value is None:
            value = _repaired(part)
        if value is not None:
            yield value


def _spans(text: str) -> Iterator[Scan]:
    """The outermost brackets, left to right.

    One that never closes is the answer, broken off, where it begins like JSON; elsewhere it is
    prose, and what follows may hold the answer: ``within [0, 1) I choose {"score": 1}``.
    """
    position = 0
    for _ in range(_MAX_STARTS):
        match = _BRACKET.search(text, position)
        if match is None:
            return
        found = scan(text, match.start())
        if found.depth > MAX_DEPTH:
            return
        position = found.end or match.end()
        begins = _BEGINS_JSON.match(text, match.start())
        if found.end or begins:
            yield found
        if begins and not found.end:
            return


def _decoded(text: str) -> JsonValue:
    """A JSON value of bounded depth, or None; line breaks within strings are forgiven."""
    try:
        value: JsonValue = json.loads(text, strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    return value


def _repaired(text: str) -> JsonValue:
    """What json-repair makes of single quotes, missing commas and the like, or None."""
    if len(text) > _MAX_SLOPPY or not _shallow(text):
        return None
    import json_repair

    try:
        repaired = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    # Through text once more: no NaN, and nothing but JSON types.
    return _decoded(json.dumps(repaired)) if isinstance(repaired, dict | list) else None


def _shallow(text: str) -> bool:
    """True where no reading of the quotes can nest deeper than ``MAX_DEPTH``."""
    depth = 0
    for sign in re.findall(r"[{}\[\]]", text):
        depth = depth + 1 if sign in "{[" else max(0, depth - 1)
        if depth > MAX_DEPTH:
            return False
    return True
