"""What an expression finds, worked out record by record without an index, to check the engine.

Shares nothing with the engine but the tree: words are cut, names are read and dates are compared
here in the simplest way that ``docs/boolean.md`` allows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from leafward.engines.boolean import Dates, Field, Node, Operator, Term
from leafward.types import Document

_STOP_WORDS = """
a about again all almost also although always among an and another any are as at be because been
before being between both but by can could did do does done due during each either enough
especially etc for found from further had has have having here how however i if in into is it
its itself just kg km made mainly make may mg might ml mm most mostly must nearly neither no nor
not obtained of often on or our overall perhaps pmid quite rather really regarding seem seen
several should show showed shown shows significantly since so some such than that the their
theirs them then there therefore these they this those through thus to upon use used using
various very was we were what when which while with within without would
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
TW = ("mesh", "keywords", "publication_types")


class Plain:
    """Evaluates trees over records that stay in memory."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._cut: dict[tuple[str, str], list[str]] = {}

    def evaluate(self, node: Node) -> set[str]:
        """Ids of the records that a tree finds."""
        if isinstance(node, Dates):
            return self._where(lambda document: _within(node, document))
        if isinstance(node, Term):
            return self._term(node)
        found = self.evaluate(node.first)
        for operator, operand in node.rest:
            other = self.evaluate(operand)
            if operator is Operator.AND:
                found = found & other
            elif operator is Operator.OR:
                found = found | other
            else:
                found = found - other
        return found

    def _where(self, holds: Callable[[Document], bool]) -> set[str]:
        return {document.id for document in self._documents if holds(document)}

    def _term(self, term: Term) -> set[str]:
        if term.field is not None and term.field.exact:
            return self._where(lambda document: _whole(term, document))
        words = [found for word in term.text.split() if (found := _pattern(word))]
        telling = [word for word in words if not set(word) <= STOP_WORDS] or words
        if term.field is None and not term.quoted:
            return self._all(telling, term.field)
        phrase = [part for word in words for part in word]
        holding = self._holding(phrase, term.field)
        if not holding and not term.quoted and len(words) > 1:
            return self._all(telling, term.field)
        return holding

    def _all(self, words: list[list[str]], field: Field | None) -> set[str]:
        sets = [self._holding(word, field) for word in words]
        return set.intersection(*sets) if sets else set()

    def _holding(self, phrase: list[str], field: Field | None) -> set[str]:
        if not phrase:
            return set()
        whole = re.escape(f" {' '.join(phrase)} ").replace(r"\*", r"\S*")
        search = re.compile(whole).search
        return self._where(
            lambda document: any(search(text) for text in self._texts(document, field))
        )

    def _texts(self, document: Document, field: Field | None) -> list[str]:
        """Texts as words with one blank before, between and after them."""
        key = (document.id, field.value if field else "all")
        if key not in self._cut:
            self._cut[key] = [f" {' '.join(cut(text))} " for text in _texts(document, field)]
        return self._cut[key]


def cut(text: str) -> list[str]:
    """Words of letters and digits, lower case, without accents."""
    folded = unicodedata.normalize("NFKD", text.lower())
    return re.findall(r"[^\W_]+", "".join(c for c in folded if not unicodedata.combining(c)))


def _pattern(word: str) -> list[str]:
    parts = cut(word)
    if parts and word.rstrip(".,;:!?").endswith("*"):
        parts[-1] += "*"
    return parts


def _listed(document: Document, name: str) -> list[str]:
    value = document.metadata.get(name)
    if isinstance(value, tuple):
        return list(value)
    return [str(value)] if value else []


def _texts(document: Document, field: Field | None) -> list[str]:
    subjects = [text for name in TW for text in _listed(document, name)]
    both = [document.title, document.text]
    if field is Field.TITLE:
        return [document.title]
    if field is Field.ABSTRACT:
        return [document.text]
    if field is Field.TITLE_ABSTRACT:
        return both
    if field is Field.TEXT:
        return both + subjects
    if field is Field.KEYWORD:
        return _listed(document, "keywords")
    others = ("authors", "journal", "language", "pmid")
    rest = [text for name in others for text in _listed(document, name)]
    return both + subjects + rest + [document.id]


def _whole(term: Term, document: Document) -> bool:
    assert term.field is not None
    asked = " ".join(cut(term.text))
    if term.field is Field.AUTHOR:
        return any(_author(asked, term, name) for name in _names(document))
    places = {
        Field.MESH: "mesh",
        Field.MESH_ALONE: "mesh",
        Field.JOURNAL: "journal",
        Field.TYPE: "publication_types",
        Field.LANGUAGE: "language",
    }
    if term.field is Field.ID:
        own = {document.id.lower(), *_listed(document, "pmid")}
        return any(number in own for number in asked.split())
    values = [" ".join(cut(value)) for value in _listed(document, places.get(term.field, ""))]
    if term.text.endswith("*"):
        return any(value.startswith(asked) for value in values)
    return asked in values


def _names(document: Document) -> list[tuple[str, str]]:
    """Surnames with initials; the records write "Smith, J A" or "J A Smith"."""
    names = []
    for name in "; ".join(_listed(document, "authors")).split("; "):
        family, comma, given = name.partition(", ")
        if not comma:
            given, _, family = name.rpartition(" ")
        initials = "".join(part[0] for part in cut(given))
        names.append((" ".join(cut(family)), initials))
    return names


def _author(asked: str, term: Term, name: tuple[str, str]) -> bool:
    family, initials = name
    if not term.quoted:
        forms = [family, *(f"{family} {initials[:n]}" for n in range(1, len(initials) + 1))]
        return any(form.startswith(asked) if "*" in term.text else form == asked for form in forms)
    return asked in (f"{family} {initials}", family)


def _within(dates: Dates, document: Document) -> bool:
    year = _listed(document, "year")
    if not year or not year[0]:
        return False
    published = (int(year[0][:4]), 1, 1)  # a year alone is its January 1
    first = (dates.first.year, dates.first.month or 1, dates.first.day or 1)
    last = (dates.last.year, dates.last.month or 12, dates.last.day or 31)
    return first <= published <= last
