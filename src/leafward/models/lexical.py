"""An embedder that needs no download: hashed words, stems and letter groups, in numpy.

Source: Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (ICML 2009): the
sign of each feature comes from its hash, so that collisions cancel in expectation.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from leafward.protocols import Vectors

DIMENSIONS = 512
_STEM_WEIGHT = 1.0
_GRAM_WEIGHT = 0.4  # letters of a word: for spellings and compounds, less than the word itself
_GRAM = 4
_WORDLESS: npt.NDArray[np.float64] = np.eye(1, DIMENSIONS)[0]
_WORD = re.compile(r"\w+")
_SUFFIXES = ("ations", "ation", "ingly", "ings", "ing", "edly", "ied", "ies", "ed", "ly", "es", "s")
_STOP_WORD_LIST = """
    a about after all also an and any are as at be because been but by can could did do does for
    from had has have he her his how i if in into is it its may more most no not of on one or
    other our out over she so some such than that the their them then there these they this to
    under up was we were what when where which who why will with would you your
"""
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())

Features = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]


class LexicalEmbedder:
    """Embeds text by its words: float32 ``[n, 512]``, unit rows; no fitted state, any language.

    It sees shared words, not shared meaning: the honest fallback where MiniLM is not installed,
    and fast enough (thousands of short texts a second) for tests and for very large corpora.
    A text without any word gets a fixed vector, so that rows stay unit.
    """

    name = "lexical"
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str], *, role: Literal["query", "document"]) -> Vectors:
        """Embed texts, ``[n]`` to float32 ``[n, 512]`` with unit rows."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._row(text)
        return vectors

    def _row(self, text: str) -> npt.NDArray[np.float64]:
        counts = _counts(text)
        if not counts:
            return _WORDLESS
        features = [_features(word) for word in counts]
        places = np.concatenate([place for place, _ in features])
        # Sublinear: the tenth mention of a word says little more than the third.
        scale = 1.0 + np.log(np.fromiter(counts.values(), dtype=np.float64, count=len(counts)))
        weights = np.concatenate([weight for _, weight in features])
        weights *= np.repeat(scale, [place.size for place, _ in features])
        row = np.bincount(places, weights, minlength=DIMENSIONS).astype(np.float64)
        norm = float(np.linalg.norm(row))
        if norm < 1e-6:  # features may cancel exactly
            return _WORDLESS
        unit: npt.NDArray[np.float64] = row / norm
        return unit


def _counts(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in _WORD.findall(text.lower()):
        if word not in _STOP_WORDS:
            counts[word] = counts.get(word, 0) + 1
    return counts


@lru_cache(maxsize=100_000)
def _features(word: str) -> Features:
    """Places and signed weights of a word: its stem and the letter groups within it."""
    features = list(_weighted(word))
    hashes = [zlib.crc32(name.encode("utf-8", "surrogatepass")) for name, _ in features]
    places = np.array([value % DIMENSIONS for value in hashes], dtype=np.int64)
    signs = [1.0 if value >> 16 & 1 else -1.0 for value in hashes]
    weights = np.array(
        [sign * weight for sign, (_, weight) in zip(signs, features, strict=True)],
        dtype=np.float32,
    )
    return places, weights


def _weighted(word: str) -> Iterator[tuple[str, float]]:
    yield f"w:{stem(word)}", _STEM_WEIGHT
    marked = f"<{word}>"
    for start in range(max(0, len(marked) - _GRAM + 1)):
        yield f"g:{marked[start : start + _GRAM]}", _GRAM_WEIGHT


def stem(word: str) -> str:
    """Strip one common English ending where at least four letters stay."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word
