"""A document as the fields of a bibliographic record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from leafward.engines.boolean.analysis import heading_keys, journal_key, key
from leafward.engines.boolean.authors import name_keys, split_names
from leafward.engines.boolean.dates import read_date
from leafward.engines.boolean.languages import language_keys
from leafward.types import Document

SUBJECTS = (
    "mesh",
    "mesh_major",
    "keywords",
    "publication_types",
    "substances",
    "conditions",
    "interventions",
)
"""Metadata that [tw] and [all] look into, besides title and text."""

_ELSEWHERE = ("authors", "journal", "journal_abbreviation", "language", "languages", "pmid")
"""Metadata that only [all] looks into."""

_DATE = re.compile(r"\d{4}(?:[/-]\d{1,2}){0,2}(?!\d)", re.ASCII)


def listed(document: Document, name: str) -> tuple[str, ...]:
    """A metadata entry as texts; none where it is absent or empty."""
    value = document.metadata.get(name)
    if isinstance(value, tuple):
        return tuple(filter(None, value))
    if value is None or isinstance(value, bool) or value == "":
        return ()
    return (str(value),)


def subject_texts(document: Document) -> list[str]:
    """Headings, keywords and the like, each once."""
    return list(dict.fromkeys(text for name in SUBJECTS for text in listed(document, name)))


def other_texts(document: Document) -> list[str]:
    """Authors, journal, language and ids."""
    texts = [text for name in _ELSEWHERE for text in listed(document, name)]
    return list(dict.fromkeys([*texts, document.id]))


def published(document: Document) -> int:
    """The date of publication as yyyymmdd, from ``date`` or ``year``; 0 where unknown.

    A year alone counts as its January 1, as in PubMed.
    """
    for name in ("date", "year"):
        for text in listed(document, name):
            match = _DATE.match(text.strip())
            date = read_date(match.group()) if match else None
            if date is not None:
                return date.start
    return 0


def exact_keys(document: Document) -> dict[str, set[str]]:
    """The keys under which exact fields, by their tags, find the document."""
    major = listed(document, "mesh_major")
    journals = listed(document, "journal") + listed(document, "journal_abbreviation")
    languages = listed(document, "language") + listed(document, "languages")
    return {
        "mh": _several(heading_keys, listed(document, "mesh") + major),
        "majr": _several(heading_keys, major),
        "au": _several(name_keys, _authors(document)),
        "ta": {journal_key(journal) for journal in journals},
        "pt": {key(text) for text in listed(document, "publication_types")},
        "la": _several(language_keys, languages),
        "pmid": {key(text) for text in (document.id, *listed(document, "pmid"))},
    }


def _several(keys: Callable[[str], Iterable[str]], texts: Iterable[str]) -> set[str]:
    return {found for text in texts for found in keys(text)}


def _authors(document: Document) -> list[str]:
    value = document.metadata.get("authors")
    return split_names(value) if isinstance(value, str | tuple) else []
