"""Results on stdout: JSON as it is, text through rich with foreign control characters removed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from leafward.cli.shapes import Shape
    from leafward.types import Usage

PLAIN_WIDTH = 100
"""Columns where stdout is no terminal: nobody's window decides how a file is wrapped."""


def print_shape(shape: Shape) -> None:
    """Print a result as one JSON object, escaped where stdout is not UTF-8."""
    import json

    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(shape.model_dump(mode="json"), indent=2, ensure_ascii=not unicode))


def console(*, stderr: bool = False) -> Console:
    """A rich console without highlighting and markup: what it prints is mostly foreign text."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PLAIN_WIDTH
    return Console(
        file=stream, highlight=False, markup=False, emoji=False, width=width, soft_wrap=False
    )


def print_rich(*renderables: RenderableType) -> None:
    """Print to stdout without the blanks with which rich fills a line."""
    out = console()
    with out.capture() as captured:
        out.print(*renderables, sep="\n")
    for line in captured.get().splitlines():
        print(line.rstrip())


def note(text: str, *, quiet: bool) -> None:
    """A line on stderr for the person in front of it."""
    if not quiet:
        print(text, file=sys.stderr)


def told_usage(usage: Usage) -> str:
    """Calls, tokens, money and cache hits in one line, leaving out what is zero."""
    parts = [_count(usage.calls, "call")]
    if usage.tokens:
        parts.append(f"{usage.tokens:,} tokens")
    if usage.calls:
        parts.append(told_money(usage.money))
    if usage.cache_hits:
        parts.append(f"{usage.cache_hits:,} from the cache")
    return " · ".join(parts)


def told_money(money: float | None) -> str:
    """Dollars with as many digits as they deserve."""
    if money is None:
        return "price unknown"
    return f"${money:,.2f}" if money >= 1 or money == 0 else f"${money:.4f}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
