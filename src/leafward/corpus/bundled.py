"""A corpus that every Python installation brings along: its own language reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from leafward.corpus.chunking import split_text
from leafward.corpus.problems import Corpus
from leafward.corpus.sections import (
    SEPARATOR,
    Heading,
    Parsed,
    Section,
    passages,
    under_headings,
)
from leafward.errors import CorpusError
from leafward.types import Document

_LEVELS = "*=-~^"
_UNDERLINE = re.compile(r"([*=\-~^])\1{2,}")
_QUOTES = re.compile(r'["`*]+')


def language_reference(*, chunk_tokens: int = 300) -> Corpus:
    """Python's language reference as passages, from ``pydoc_data.topics`` (PSF licence).

    A source is a help topic ("compound", "specialnames", …), a title the innermost heading. What
    several topics share stands once, in the longest of them.

    Raises:
        CorpusError: this Python came without its help texts.
    """
    seen: set[str] = set()
    documents: list[Document] = []
    topics = _topics()
    for topic in sorted(topics, key=lambda name: (-len(topics[name]), name)):
        documents.extend(_passages(topic, topics[topic], seen, chunk_tokens))
    return Corpus(tuple(documents))


def _topics() -> dict[str, str]:
    try:
        from pydoc_data.topics import topics
    except ImportError as error:
        raise CorpusError(
            "this Python came without its help texts (pydoc_data)",
            hint="use a complete Python installation, or index files of your own",
        ) from error
    return dict(topics)


def _passages(topic: str, text: str, seen: set[str], chunk_tokens: int) -> Iterator[Document]:
    fresh = [section for section in _sections(text) if section.text not in seen]
    seen.update(section.text for section in fresh)
    cut = partial(split_text, limit=chunk_tokens)
    for document in passages(Parsed(tuple(fresh)), f"python/{topic}", topic, cut):
        section = str(document.metadata.get("section", topic))
        yield replace(document, title=section.rsplit(SEPARATOR, 1)[-1])


def _sections(text: str) -> Iterator[Section]:
    """Sections by underlined headings, which go from the text into the path."""
    lines = text.split("\n")
    for section in under_headings(lines, list(_headings(lines))):
        yield replace(section, text="\n".join(_body(section.text.split("\n"))).strip("\n"))


def _body(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if not _is_heading(lines, number) and not _is_heading(lines, number - 1):
            yield line


def _headings(lines: list[str]) -> Iterator[Heading]:
    for number in range(len(lines)):
        if _is_heading(lines, number):
            level = _LEVELS.index(lines[number + 1][0]) + 1
            yield Heading(number, 2, level, _QUOTES.sub("", lines[number]).strip())


def _is_heading(lines: list[str], number: int) -> bool:
    if not 0 <= number < len(lines) - 1 or not lines[number].strip():
        return False
    below = lines[number + 1]
    return bool(_UNDERLINE.fullmatch(below)) and len(below) == len(lines[number])
