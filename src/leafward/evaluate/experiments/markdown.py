"""Writing Markdown in which names, ids and queries are data and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~$])")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str, limit: int | None = None) -> str:
    """Text as one line of Markdown that shows just this text: no markup, no HTML, no link."""
    line = " ".join(_CONTROLS.sub("", text).split())
    if limit is not None and len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    escaped = _SPECIAL.sub(r"\\\1", line)
    escaped = escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"(?<=\w)(:)(?=//)|(?<=www)(\.)", lambda mark: f"&#{ord(mark[0])};", escaped)


def code(text: str) -> str:
    """Text as code, whatever it holds."""
    line = " ".join(_CONTROLS.sub("", text).split())
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}".replace("|", r"\|")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> Iterator[str]:
    """Lines of a table; the first ``left`` columns hold words, the others numbers."""
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join("---" if n < left else "---:" for n in range(len(head))) + " |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
