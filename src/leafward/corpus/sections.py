"""Texts under their headings, as every file format hands them to the chunker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from leafward.types import Document, MetaValue

SEPARATOR = " > "


@dataclass(frozen=True, slots=True)
class Section:
    """A run of text; ``path`` are the headings above it, ``page`` counts from 1 where known."""

    text: str
    path: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a file says: its sections in order, and a title where it has one."""

    sections: tuple[Section, ...]
    title: str = ""


class Heading(NamedTuple):
    """A heading that begins at line ``line`` and takes ``height`` lines; level 1 is the top."""

    line: int
    height: int
    level: int
    name: str


def passages(
    parsed: Parsed, source: str, title: str, cut: Callable[[str], list[str]]
) -> Iterator[Document]:
    """Cut the sections of one source into documents ``SOURCE#0``, ``SOURCE#1``, …

    Metadata: ``source``, ``position``, and ``section`` (heading path) and ``page`` where known.
    """
    position = 0
    for section in parsed.sections:
        for text in cut(section.text):
            metadata: dict[str, MetaValue] = {"source": source, "position": position}
            if section.path:
                metadata["section"] = SEPARATOR.join(section.path)
            if section.page is not None:
                metadata["page"] = section.page
            yield Document(f"{source}#{position}", text, parsed.title or title, metadata)
            position += 1


def under_headings(lines: list[str], headings: list[Heading]) -> Iterator[Section]:
    """Part lines at their headings; heading lines stay in the text, so that no word is lost.

    A heading with nothing under it goes to the section that follows it.
    """
    path: list[tuple[int, str]] = []
    held = 0  # first line not yet handed out
    body = 0  # first line below the latest heading
    for heading in headings:
        if any(line.strip() for line in lines[body : heading.line]):
            yield _section(lines[held : heading.line], path)
            held = heading.line
        path = [above for above in path if above[0] < heading.level]
        path.append((heading.level, heading.name))
        body = heading.line + heading.height
    if any(line.strip() for line in lines[held:]):
        yield _section(lines[held:], path)


def _section(lines: list[str], path: list[tuple[int, str]]) -> Section:
    names = tuple(name for _, name in path if name)
    return Section("\n".join(lines), names)


def one_line(text: str) -> str:
    """A heading as one line of printable characters."""
    return re.sub(r"\s+", " ", "".join(c for c in text if c.isprintable() or c.isspace())).strip()
