"""Authors' names as keys: ``smith``, ``smith j``, ``smith ja``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from leafward.engines.boolean.analysis import key

EXACT = "="
"""Begins the key of a whole name, which a quoted search asks for."""

_INITIALS = re.compile(r"[^\W\d_a-zß-ÿ]{1,3}")


def split_names(written: str | Sequence[str]) -> list[str]:
    """Names of a list, or of one string that parts them with semicolons."""
    names = written.split(";") if isinstance(written, str) else written
    return [name.strip() for name in names if name.strip()]


def name_keys(name: str) -> list[str]:
    """What finds an author: surname, surname with ever more initials, the name as it is written.

    Reads ``Smith JA``, ``Smith, John A``, ``J A Smith`` and ``John Smith``.
    """
    surname, initials = _split(name)
    if not surname:
        return []
    forms = [surname, *(f"{surname} {initials[:n]}" for n in range(1, len(initials) + 1))]
    whole = key(name)  # a group, or a name as it was written
    return [*forms, whole, EXACT + forms[-1], EXACT + whole]


def asked_key(text: str) -> str:
    """A name in an expression, ``Smith JA`` or ``smith, j. a.``, as a key."""
    words = key(text).split(" ")
    start = len(words)
    while start > 1 and len(words[start - 1]) == 1:
        start -= 1
    return " ".join(words[:start] + (["".join(words[start:])] if words[start:] else []))


def _split(name: str) -> tuple[str, str]:
    """Surname and initials as keys."""
    family, comma, given = name.partition(",")
    if comma:
        return key(family), _initials(given)
    words = name.replace(".", " ").split()
    start = len(words)
    while start > 1 and _INITIALS.fullmatch(words[start - 1]):
        start -= 1
    if start < len(words):
        return key(" ".join(words[:start])), key("".join(words[start:]))
    return _western(words)


def _western(words: list[str]) -> tuple[str, str]:
    """Given names first: the surname begins after the initials, or is the last word."""
    start = 0
    while start < len(words) - 1 and _INITIALS.fullmatch(words[start]):
        start += 1
    if start == 0:
        start = max(0, len(words) - 1)
    return key(" ".join(words[start:])), _initials(" ".join(words[:start]))


def _initials(given: str) -> str:
    """First letters of given names; ``JA`` in capitals is two of them."""
    letters = [
        part if _INITIALS.fullmatch(part) else part[:1]
        for part in re.split(r"[\s.\-]+", given)
        if part
    ]
    return key("".join(letters))
