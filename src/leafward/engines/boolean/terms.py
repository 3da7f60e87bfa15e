"""From one term of an expression to a query of tantivy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from leafward.engines.boolean.analysis import STOP_WORDS, heading_keys, journal_key, key, tokens
from leafward.engines.boolean.authors import EXACT, asked_key
from leafward.engines.boolean.fields import Field
from leafward.engines.boolean.languages import language_keys
from leafward.engines.boolean.nodes import Term
from leafward.engines.boolean.words import TRAILING

if TYPE_CHECKING:
    import tantivy

MAX_EXPANSIONS = 16_000
"""Words that all truncated terms of an expression may stand for together."""

_PLACES: dict[Field | None, tuple[str, ...]] = {
    None: ("all",),
    Field.ALL: ("all",),
    Field.TITLE: ("ti",),
    Field.ABSTRACT: ("ab",),
    Field.TITLE_ABSTRACT: ("ti", "ab"),
    Field.TEXT: ("ti", "ab", "subjects"),
    Field.KEYWORD: ("ot",),
}
"""Indexed fields that a tag looks into."""

EXACT_PLACES: dict[Field | None, str] = {
    Field.MESH: "mh",
    Field.MESH_ALONE: "mh",
    Field.MAJOR: "majr",
    Field.MAJOR_ALONE: "majr",
    Field.AUTHOR: "au",
    Field.JOURNAL: "ta",
    Field.TYPE: "pt",
    Field.LANGUAGE: "la",
    Field.ID: "pmid",
}
"""Indexed fields that hold whole headings and names."""


class _Word(NamedTuple):
    """A written word: one token, or several where it holds punctuation."""

    tokens: tuple[str, ...]
    truncated: bool

    @property
    def patterns(self) -> list[str]:
        """A pattern for each token."""
        last = f"{self.tokens[-1]}.*" if self.truncated else self.tokens[-1]
        return [*self.tokens[:-1], last]


class CompiledTerm(NamedTuple):
    """A term's query, and how many words its truncated ones stand for."""

    query: tantivy.Query
    expansions: int


class TermCompiler:
    """Compiles terms for one index."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        import tantivy

        self._searcher: Any = searcher
        self._schema = schema
        self._query = tantivy.Query
        self._occur = tantivy.Occur

    def compile(self, term: Term) -> CompiledTerm:
        if term.field in EXACT_PLACES:
            return self._exact(term)
        places = _PLACES[term.field]
        words = _words(term)
        if term.field is None and not term.quoted:
            found = self._each(_telling(words), places)
        else:
            found = self._phrase(words, places)
            if not term.quoted and len(words) > 1 and not self._finds(found):
                found = self._each(_telling(words), places)
        prefixes = {word.tokens[-1] for word in words if word.truncated}
        return CompiledTerm(found, self._expansions(prefixes, places))

    def _exact(self, term: Term) -> CompiledTerm:
        place = EXACT_PLACES[term.field]
        if term.field is Field.ID:
            ids = [key(word) for word in term.words]
            return CompiledTerm(self._any([self._key(place, found) for found in ids if found]), 0)
        asked = _asked(term)
        if not term.text.rstrip(TRAILING).endswith("*"):
            return CompiledTerm(self._key(place, asked), 0)
        return CompiledTerm(self._prefix(place, asked), self._expansions({asked}, (place,)))

    def _each(self, words: list[_Word], places: Sequence[str]) -> tantivy.Query:
        """Every word, anywhere in these places."""
        return self._all([self._phrase([word], places) for word in words])

    def _phrase(self, words: list[_Word], places: Sequence[str]) -> tantivy.Query:
        """The words one after the other, in any one of these places."""
        return self._any([self._phrase_in(words, place) for place in places])

    def _phrase_in(self, words: list[_Word], place: str) -> tantivy.Query:
        tokens = [token for word in words for token in word.tokens]
        truncated = any(word.truncated for word in words)
        if not tokens:
            return self._query.empty_query()
        if len(tokens) == 1:
            if truncated:
                return self._prefix(place, tokens[0])
            return self._query.term_query(self._schema, place, tokens[0], "freq")
        if truncated:
            # Tokens are letters and digits only, so that they mean themselves in a pattern.
            patterns: list[str | tuple[int, str]] = [
                pattern for word in words for pattern in word.patterns
            ]
            return self._query.regex_phrase_query(self._schema, place, patterns)
        return self._query.phrase_query(self._schema, place, list(tokens))

    def _key(self, place: str, key: str) -> tantivy.Query:
        return self._query.term_query(self._schema, place, key, "basic")

    def _prefix(self, place: str, prefix: str) -> tantivy.Query:
        # Distance 0 makes it an exact prefix, and is several times faster than a pattern.
        return self._query.fuzzy_term_query(self._schema, place, prefix, distance=0, prefix=True)

    def _expansions(self, prefixes: Collection[str], places: Sequence[str]) -> int:
        limit = MAX_EXPANSIONS + 1
        return sum(
            len(self._searcher.terms_with_prefix(place, prefix, limit=limit))
            for prefix in prefixes
            for place in places
        )

    def _finds(self, query: tantivy.Query) -> bool:
        return bool(self._searcher.search(query, 1, count=False).hits)

    def _any(self, queries: list[tantivy.Query]) -> tantivy.Query:
        return self._joined(queries, self._occur.Should)

    def _all(self, queries: list[tantivy.Query]) -> tantivy.Query:
        return self._joined(queries, self._occur.Must)

    def _joined(self, queries: list[tantivy.Query], occur: tantivy.Occur) -> tantivy.Query:
        if len(queries) == 1:
            return queries[0]
        return self._query.boolean_query([(occur, query) for query in queries])


def _words(term: Term) -> list[_Word]:
    """The words with something to look up in them."""
    words = []
    for written in term.words:
        stem = written.rstrip(TRAILING)
        if found := tokens(stem):
            words.append(_Word(found, stem.endswith("*")))
    return words


def _telling(words: list[_Word]) -> list[_Word]:
    """The words without stop words, or all where nothing else is left."""
    return [word for word in words if not STOP_WORDS.issuperset(word.tokens)] or words


def _asked(term: Term) -> str:
    if term.field is Field.AUTHOR:
        name = asked_key(term.text)
        whole = term.quoted and " " in name and "*" not in term.text
        return EXACT + name if whole else name
    if term.field is Field.JOURNAL:
        return journal_key(term.text)
    if term.field is Field.LANGUAGE:
        return language_keys(term.text.rstrip(TRAILING + "*"))[0]
    return key(term.text) if term.field is Field.TYPE else heading_keys(term.text)[-1]
