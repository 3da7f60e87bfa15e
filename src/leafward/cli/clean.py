"""Making foreign text safe to print: documents and models may not steer the terminal."""

from __future__ import annotations

import re

# C0 and C1 controls but tab and newline, and the marks that reorder what is displayed.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """The text without control characters and without marks that change its direction."""
    return _CONTROLS.sub("", text)


def one_line(text: str, limit: int | None = None) -> str:
    """The text as one line, cut with an ellipsis to at most ``limit`` characters."""
    line = " ".join(clean(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1].rstrip() + "…"
