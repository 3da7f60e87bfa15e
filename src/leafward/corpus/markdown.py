"""Markdown as sections: ATX and underlined headings, past fenced code and front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leafward.corpus.sections import Heading, Parsed, one_line, under_headings

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|]|\d+[.)])(?:\s|$)|\s*\||(?: {4}|\t)")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`]+(?=\S)|(?<=\S)[*`]+")


def parse_markdown(text: str) -> Parsed:
    """Part a Markdown text at its headings; the first heading is its title."""
    lines = text.split("\n")
    headings = list(_headings(lines))
    title = next((heading.name for heading in headings if heading.name), "")
    return Parsed(tuple(under_headings(lines, headings)), title)


def _headings(lines: list[str]) -> Iterator[Heading]:
    fence = ""
    start = _front_matter(lines)
    for number in range(start, len(lines)):
        line = lines[number]
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif (opening := _FENCE.fullmatch(line)) and not _is_code_span(opening):
            fence = opening[1]
        elif atx := _ATX.fullmatch(line):
            yield Heading(number, 1, len(atx[1]), _plain(atx[2] or ""))
        elif number > start and _is_underlined(lines, number):
            level = 1 if "=" in line else 2
            yield Heading(number - 1, 2, level, _plain(lines[number - 1]))


def _front_matter(lines: list[str]) -> int:
    """Number of lines that a YAML block at the very start takes."""
    if lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() in ("---", "..."):
            return number + 1
    return 0


def _is_code_span(opening: re.Match[str]) -> bool:
    return opening[1].startswith("`") and "`" in opening[2]


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _is_underlined(lines: list[str], number: int) -> bool:
    """True where a line of ``=`` or ``-`` stands under a paragraph of one line."""
    above = lines[number - 1]
    if not _UNDERLINE.fullmatch(lines[number]) or not above.strip():
        return False
    if _NO_PARAGRAPH.match(above) or _ATX.fullmatch(above) or _FENCE.fullmatch(above):
        return False
    return number < 2 or not lines[number - 2].strip() or bool(_ATX.fullmatch(lines[number - 2]))


def _plain(heading: str) -> str:
    return one_line(_MARKUP.sub(lambda match: match[1] or "", heading))
