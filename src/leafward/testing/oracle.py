"""Truth for judge rules: which candidate texts lead to the documents that qrels name."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from leafward.testing.words import plain, words
from leafward.types import Document, Qrel, Query, Tree

_BEGINNING = 40  # characters in common that make a candidate one of the texts

_QUERY_BEGINNING = 12  # of a query, where no other begins like it


def nothing(query: str, candidate: str) -> float:
    """Relevance of what an oracle does not know: 0."""
    return 0.0


def word_overlap(query: str, candidate: str) -> float:
    """Share of the query's words that stand in the candidate."""
    asked = set(words(query))
    return len(asked & set(words(candidate))) / max(len(asked), 1)


class Oracle:
    """Relevance in [0, 1] of a candidate's text to a query's text, from a corpus and its qrels.

    A leaf is recognised by its text, which begins with the document's title or text and may be
    cut short; an internal node by its name and description, where a tree is given, and is as
    relevant as the best leaf under it. Grades are divided by the query's highest. What is not
    recognised gets ``unknown(query, candidate)``. An oracle is called as a function.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        queries: Iterable[Query],
        qrels: Iterable[Qrel],
        *,
        tree: Tree | None = None,
        unknown: Callable[[str, str], float] = nothing,
    ) -> None:
        self._unknown = unknown
        self._grades = _grades(queries, qrels)
        self._query_texts = sorted(self._grades)
        self._leaves = _leaf_texts(documents)
        self._leaf_texts = sorted(self._leaves)
        self._nodes: dict[str, frozenset[str]] = {}
        self._node_texts: list[str] = []
        if tree is not None:
            self.learn(tree)
        self._members = lru_cache(maxsize=50_000)(self._find)

    def learn(self, tree: Tree) -> None:
        """Recognise the internal nodes of this tree from now on, in place of another's."""
        nodes: dict[str, frozenset[str]] = {}
        for node in tree.nodes:
            below = frozenset(tree.leaves[node.lo : node.hi])
            for text in (f"{node.name} {node.description}", node.description, node.name):
                if key := plain(text):
                    nodes[key] = nodes.get(key, frozenset()) | below
        self._nodes, self._node_texts = nodes, sorted(nodes)
        self._members = lru_cache(maxsize=50_000)(self._find)

    def members(self, candidate: str) -> frozenset[str] | None:
        """Ids of the documents that a candidate is or covers; None where it is unknown."""
        return self._members(candidate)

    def __call__(self, query: str, candidate: str) -> float:
        members = self._members(candidate)
        grades = self._judged(plain(query))
        if members is None or grades is None:
            return self._unknown(query, candidate)
        return max((grades[doc_id] for doc_id in members & grades.keys()), default=0.0)

    def _judged(self, query: str) -> dict[str, float] | None:
        """Grades of a query, of which a prompt may show the beginning only."""
        if query in self._grades:
            return self._grades[query]
        place = bisect_left(self._query_texts, query)
        longer = [text for text in self._query_texts[place : place + 2] if text.startswith(query)]
        told = len(longer) == 1 and len(query) >= _QUERY_BEGINNING
        return self._grades[longer[0]] if told else None

    def _find(self, candidate: str) -> frozenset[str] | None:
        key, cut = plain(candidate), candidate.rstrip().endswith(("…", "..."))
        if found := self._nodes.get(key) or self._leaves.get(key):
            return found
        if found := _beginning(self._leaf_texts, key, self._leaves, cut=cut):
            return found
        return _beginning(self._node_texts, key, self._nodes, cut=cut)


def _leaf_texts(documents: Iterable[Document]) -> dict[str, frozenset[str]]:
    """Ids of documents by what a candidate made from them may look like."""
    owners: dict[str, frozenset[str]] = {}
    for document in documents:
        title, text = plain(document.title), plain(document.text)
        for key in {title, text, f"{title} {text}".strip()}:
            if key:
                owners[key] = owners.get(key, frozenset()) | {document.id}
    return owners


def _beginning(
    texts: Sequence[str], key: str, owners: Mapping[str, frozenset[str]], *, cut: bool
) -> frozenset[str] | None:
    """Owners of the texts that share the longest beginning with the key.

    It must be long, or, of a candidate that was cut short, all that is left of it.
    """
    place = bisect_left(texts, key)
    near = texts[max(place - 1, 0) : place + 1]
    shared = max((_shared(text, key) for text in near), default=0)
    if shared < _BEGINNING and not (cut and key and shared == len(key)):
        return None
    found: frozenset[str] = frozenset()
    for text in texts[bisect_left(texts, key[:shared]) :]:
        if not text.startswith(key[:shared]):
            break
        found |= owners[text]
    return found


def _shared(one: str, other: str) -> int:
    """Length of the beginning that two texts have in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _grades(queries: Iterable[Query], qrels: Iterable[Qrel]) -> dict[str, dict[str, float]]:
    by_query: dict[str, dict[str, float]] = {}
    for qrel in qrels:
        if qrel.relevance > 0:
            by_query.setdefault(qrel.query_id, {})[qrel.doc_id] = float(qrel.relevance)
    grades: dict[str, dict[str, float]] = {}
    for query in queries:
        judged = by_query.get(query.id, {})
        best = max(judged.values(), default=1.0)
        known = grades.setdefault(plain(query.text), {})
        for doc_id, grade in judged.items():
            known[doc_id] = max(known.get(doc_id, 0.0), grade / best)
    return grades
