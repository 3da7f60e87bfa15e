from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from leafward.models.kept_embedder import MIN_BATCH, KeptEmbedder
from leafward.models.lexical import LexicalEmbedder
from leafward.protocols import Vectors
from leafward.types import Usage


class Counting(LexicalEmbedder):
    def __init__(self) -> None:
        self.texts = 0

    def embed(self, texts: Sequence[str], *, role: Literal["query", "document"]) -> Vectors:
        self.texts += len(texts)
        return super().embed(texts, role=role)


class Memory(dict[str, str]):
    def put(
        self, key: str, *, kind: str, model: str, request: str, answer: str, usage: Usage
    ) -> None:
        self[key] = answer


TEXTS = [f"text number {number}" for number in range(MIN_BATCH)]


def test_a_batch_is_computed_once() -> None:
    inner, cache = Counting(), Memory()
    first = KeptEmbedder(inner, cache).embed(TEXTS, role="document")
    again = KeptEmbedder(inner, cache).embed(TEXTS, role="document")
    np.testing.assert_array_equal(first, again)
    assert again.dtype == np.float32
    assert inner.texts == len(TEXTS)


def test_another_batch_and_queries_are_computed() -> None:
    inner, cache = Counting(), Memory()
    kept = KeptEmbedder(inner, cache)
    kept.embed(TEXTS, role="document")
    kept.embed(TEXTS[::-1], role="document")
    assert len(cache) == 2
    kept.embed(TEXTS, role="query")
    kept.embed(TEXTS[:1], role="document")
    assert len(cache) == 2


def test_damaged_rows_are_computed_again() -> None:
    for damage in ("", '"AAAA"', "not base64!", '"' + "A" * 10 + '"'):
        inner, cache = Counting(), Memory()
        kept = KeptEmbedder(inner, cache)
        first = kept.embed(TEXTS, role="document")
        cache.update(dict.fromkeys(cache, damage))
        np.testing.assert_array_equal(kept.embed(TEXTS, role="document"), first)
        assert inner.texts == 2 * len(TEXTS)
