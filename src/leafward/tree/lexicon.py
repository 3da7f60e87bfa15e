"""Key phrases of documents (TF-IDF) and of groups of documents (class-based TF-IDF)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt

from leafward.tree.words import encode, ranges
from leafward.types import Document

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_BLOCK = 2048  # documents weighed at once: bounds the memory of a large corpus
_MOST_TERMS = 64  # kept of one document
_MOST_DOCUMENTS = 512  # read of one group; more would not change its first phrases
_CANDIDATES = 60
_PAIR_BOOST = 1.3  # two words say more than one of them


class Lexicon:
    """The weightiest words and word pairs of every document of a corpus.

    A term is one number: a word's id below ``len(words)``, otherwise ``(a + 1) * len(words) + b``
    for the pair of words a, b. Time and memory are linear in the corpus.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        vocabulary, ids, starts = encode(documents)
        self._words = vocabulary.words
        text = _Texts(np.asarray(ids, np.int64), np.asarray(starts, np.int64), self._words)
        idf = text.inverse_frequency()
        blocks = [text.weigh(lo, hi, idf) for lo, hi in text.blocks()]
        self._terms = np.concatenate([block[0] for block in blocks])
        self._weights = np.concatenate([block[1] for block in blocks])
        counts = np.concatenate([block[2] for block in blocks])
        self._starts = np.concatenate(([0], np.cumsum(counts)))

    def document_phrases(self, document: int) -> Iterator[str]:
        """Phrases of one document that share no word, weightiest first."""
        terms = self._terms[self._starts[document] : self._starts[document + 1]]
        return self._apart(terms.tolist())

    def group_phrases(
        self, groups: Sequence[Ints], count: int, *, distinct: bool
    ) -> list[tuple[str, ...]]:
        """Up to ``count`` phrases a group that set it apart from the other groups.

        With ``distinct`` a phrase goes only to the group in which it is most frequent, unless
        that leaves a group with fewer than three.
        """
        term, cells = self._cells(groups)
        score, own = _class_tfidf(cells, len(groups))
        order = np.lexsort((cells.term, -score, cells.group))
        edges = np.searchsorted(cells.group[order], np.arange(len(groups) + 1))
        found = []
        for lo, hi in pairwise(edges.tolist()):
            mine = order[lo:hi]
            picked = self._pick(term[cells.term[mine[own[mine]]]], count) if distinct else ()
            if len(picked) < min(3, count):
                picked = self._pick(term[cells.term[mine]], count)
            found.append(picked)
        return found

    def _pick(self, terms: Ints, count: int) -> tuple[str, ...]:
        return tuple(islice(self._apart(terms[:_CANDIDATES].tolist()), count))

    def _cells(self, groups: Sequence[Ints]) -> tuple[Ints, _Cells]:
        """Distinct terms of the groups, and the weight of every (group, term) that occurs."""
        read = [thin(group) for group in groups]
        rows = np.concatenate(read)
        entries = ranges(self._starts, rows)
        lengths = self._starts[rows + 1] - self._starts[rows]
        group = np.repeat(np.repeat(np.arange(len(read)), [len(one) for one in read]), lengths)
        terms, inverse = np.unique(self._terms[entries], return_inverse=True)
        pairs, cell = np.unique(group * max(len(terms), 1) + inverse, return_inverse=True)
        weight: Floats = np.bincount(cell, self._weights[entries], len(pairs)).astype(np.float64)
        documents = np.bincount(cell, minlength=len(pairs))
        return terms, _Cells(*np.divmod(pairs, max(len(terms), 1)), weight, documents)

    def _apart(self, terms: Iterable[int]) -> Iterator[str]:
        """Terms as text, without those that share a word (or its plural) with an earlier one."""
        size = len(self._words)
        seen: set[str] = set()
        for term in terms:
            ids = (term,) if term < size else (term // size - 1, term % size)
            words = [self._words[index] for index in ids]
            stems = {word.rstrip("s") for word in words}
            if not stems & seen:
                seen |= stems
                yield " ".join(words)


class _Cells:
    """Sparse (group, term) weights, and in how many documents of the group the term occurs."""

    def __init__(self, group: Ints, term: Ints, weight: Floats, documents: Ints) -> None:
        self.group, self.term, self.weight, self.documents = group, term, weight, documents


def thin(group: Ints) -> Ints:
    """At most ``_MOST_DOCUMENTS`` members, evenly spaced."""
    if len(group) <= _MOST_DOCUMENTS:
        return group
    return group[np.linspace(0, len(group) - 1, _MOST_DOCUMENTS).astype(np.int64)]


def _class_tfidf(cells: _Cells, groups: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Score of every cell, and whether no other group has a larger share of its term.

    Share of the group's weight times log(1 + A / f): A is the mean weight of a group, f the
    term's weight over all groups (BERTopic's class-based TF-IDF). Times log2(1 + documents):
    a rare word of one long document does not speak for its group.
    """
    totals = np.bincount(cells.group, cells.weight, groups)
    share = cells.weight / np.maximum(totals[cells.group], 1e-12)
    frequency = np.bincount(cells.term, cells.weight)
    best = np.zeros(len(frequency))
    np.maximum.at(best, cells.term, share)
    score = share * np.log1p(totals.mean() / np.maximum(frequency[cells.term], 1e-12))
    score *= np.log2(1 + cells.documents)
    return score, share >= best[cells.term] * (1 - 1e-9)


class _Texts:
    """The corpus as word ids, weighed block by block."""

    def __init__(self, ids: Ints, starts: Ints, words: Sequence[str]) -> None:
        self.ids, self.starts, self.size = ids, starts, max(len(words), 1)
        self.short = np.fromiter((len(word) == 1 for word in words), bool, len(words))

    def blocks(self) -> list[tuple[int, int]]:
        count = len(self.starts) - 1
        return [(lo, min(lo + _BLOCK, count)) for lo in range(0, count, _BLOCK)]

    def inverse_frequency(self) -> Floats:
        """log((N + 1) / df) of every word."""
        frequency = np.zeros(self.size)
        for lo, hi in self.blocks():
            ids, document = self._span(lo, hi)
            pairs = np.unique(document[ids >= 0] * self.size + ids[ids >= 0])
            frequency += np.bincount(pairs % self.size, minlength=self.size)
        return np.log(len(self.starts) / np.maximum(frequency, 1))

    def weigh(self, lo: int, hi: int, idf: Floats) -> tuple[Ints, Floats, Ints]:
        """Terms and weights of the documents ``lo .. hi``, weightiest first, and their numbers."""
        terms, document = self._terms(*self._span(lo, hi))
        key, counts = _count_pairs(document, terms)
        document, terms = key
        weights = (1 + np.log(counts)) * self._rarity(terms, idf)
        order = np.lexsort((terms, -weights, document))
        document, terms, weights = document[order], terms[order], weights[order]
        first = np.searchsorted(document, np.arange(hi - lo + 1))
        rank = np.arange(len(document)) - first[document]
        kept = (rank < _MOST_TERMS) & (weights > 0)
        numbers = np.bincount(document[kept], minlength=hi - lo)
        return terms[kept], weights[kept], numbers.astype(np.int64)

    def _span(self, lo: int, hi: int) -> tuple[Ints, Ints]:
        """Word ids of some documents, and for each the number of its document from ``lo``."""
        lengths = np.diff(self.starts[lo : hi + 1])
        return self.ids[self.starts[lo] : self.starts[hi]], np.repeat(np.arange(hi - lo), lengths)

    def _terms(self, ids: Ints, document: Ints) -> tuple[Ints, Ints]:
        """Words of two letters and more, and pairs of neighbours; breaks end every document."""
        word = ids >= 0
        word[word] = ~self.short[ids[word]]
        left, right = ids[:-1], ids[1:]
        pair = (left >= 0) & (right >= 0) & (left != right) & (word[:-1] | word[1:])
        pairs = (left[pair] + 1) * self.size + right[pair]
        terms = np.concatenate((ids[word], pairs))
        return terms, np.concatenate((document[word], document[:-1][pair]))

    def _rarity(self, terms: Ints, idf: Floats) -> Floats:
        single = terms < self.size
        left, right = np.where(single, terms, terms // self.size - 1), terms % self.size
        pair = _PAIR_BOOST * (idf[left] + idf[right]) / 2
        return np.where(single, idf[left], pair)


def _count_pairs(document: Ints, terms: Ints) -> tuple[tuple[Ints, Ints], Ints]:
    """Distinct (document, term) with how often each occurs."""
    distinct, compact = np.unique(terms, return_inverse=True)
    pairs, counts = np.unique(document * max(len(distinct), 1) + compact, return_counts=True)
    width = max(len(distinct), 1)
    return (pairs // width, distinct[pairs % width]), counts
