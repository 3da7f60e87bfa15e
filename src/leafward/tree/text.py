"""Text that came from a model or a document, made safe to store, compare and print."""

from __future__ import annotations

import re
import unicodedata

_CHARS_PER_WORD = 24
_UNSAFE = {"Cc", "Cs", "Co"}  # control, surrogate, private use
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # reorder a line
_COUNT = re.compile(r"\s*[(\[]\s*\d+\s*[)\]]\s*$")


def clean(text: str, most_chars: int | None = None) -> str:
    """One line that can be printed and stored anywhere, cut to ``most_chars``.

    Control characters, lone surrogates and what turns the writing direction become spaces.
    """
    if not text.isprintable():
        text = "".join(" " if _unsafe(c) else c for c in text)
    line = " ".join(text.split())
    return line if most_chars is None or len(line) <= most_chars else line[: most_chars - 1] + "…"


def _unsafe(char: str) -> bool:
    return unicodedata.category(char) in _UNSAFE or char in _BIDI


def cut_words(text: str, most: int) -> str:
    """The first ``most`` words; what is written without spaces is cut by its length."""
    words = text.split()
    kept = text if len(words) <= most else " ".join(words[:most]).rstrip(",;:")
    return clean(kept, most * _CHARS_PER_WORD)


def fold(text: str) -> str:
    """What keywords are compared by: no case, single spaces, no outer quotes or final dot."""
    return " ".join(text.casefold().split()).strip(" \"'`.,;:")


def without_count(text: str) -> str:
    """A keyword without the ``(count)`` that the model echoed behind it."""
    return _COUNT.sub("", text)


def said(text: str, most_chars: int | None = None) -> str:
    """What a model wrote, cleaned; empty where it wrote nothing but signs, such as ``…``."""
    line = clean(text, most_chars)
    return line if any(c.isalnum() for c in line) else ""
