"""A local embedder whose work survives a kill: batches of documents are kept as they are made.

Whole batches, because a vector's last bits depend on the company in which it was computed; a text
taken from one batch and a text from another would make a resumed tree differ from an undisturbed
one.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Literal

import numpy as np

from leafward.protocols import CallCache, Embedder, Vectors
from leafward.remote.keys import canonical, look_up
from leafward.types import NO_USAGE

MIN_BATCH = 16  # single queries are embedded again sooner than they are looked up


class KeptEmbedder:
    """Keeps what an embedder makes of batches of documents in a call cache."""

    def __init__(self, inner: Embedder, cache: CallCache) -> None:
        self._inner = inner
        self._cache = cache

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def embed(self, texts: Sequence[str], *, role: Literal["query", "document"]) -> Vectors:
        """Embed texts, ``[n]`` to float32 ``[n, d]`` with unit rows."""
        if role == "query" or len(texts) < MIN_BATCH:
            return self._inner.embed(texts, role=role)
        asked = canonical({"embed": list(texts), "model": self.name})
        key, kept = look_up(self._cache, asked, lambda answer: self._decode(answer, len(texts)))
        if kept is not None:
            return kept
        vectors = self._inner.embed(texts, role=role)
        self._cache.put(
            key,
            kind="embed",
            model=self.name,
            request=canonical({"batch": len(texts), "model": self.name}),
            answer=canonical(base64.b64encode(vectors.tobytes()).decode("ascii")),
            usage=NO_USAGE,
        )
        return vectors

    def _decode(self, answer: str, count: int) -> Vectors | None:
        """The kept vectors, or None where they are damaged."""
        try:
            raw = base64.b64decode(answer.strip('"'), validate=True)
        except (binascii.Error, ValueError):
            return None
        if len(raw) != 4 * count * self.dimensions:
            return None
        return np.frombuffer(raw, dtype=np.float32).reshape(count, self.dimensions).copy()
