"""Search by embedding: exact over a memory map, with faiss in front of it for large corpora."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from leafward.engines.approximate import Approximate
from leafward.engines.live import Live, live_mask
from leafward.errors import IndexDamaged
from leafward.protocols import Embedder, Vectors
from leafward.types import Hit, Ranking

Positions = npt.NDArray[np.int64]

EXACT_LIMIT = 200_000
"""Vectors up to which a scan of all of them answers fast enough."""

_BLOCK = 32_768
_DIGITS = 6
"""Decimals of a score; a matrix product may differ beyond them with a row's place in its block."""


class DenseEngine:
    """Ranks documents by the cosine of their embeddings with the query's.

    Equal scores are ordered by document id. Safe in threads where the embedder is.

    Args:
        vectors: float32 ``[n, d]`` with unit rows, usually a memory map.
        doc_ids: ids by row.
        embedder: the one that made the vectors.
        backend: ``numpy`` scans every vector; ``faiss`` finds candidates in an approximate index,
            made at the first search, and scores those exactly; ``auto`` takes faiss for more than
            :data:`EXACT_LIMIT` vectors.

    Raises:
        IndexDamaged: vectors, ids and embedder do not fit together.
        MissingExtra: faiss is to be used and is not installed.
    """

    def __init__(
        self,
        vectors: Vectors,
        doc_ids: Sequence[str],
        embedder: Embedder,
        *,
        backend: Literal["auto", "numpy", "faiss"] = "auto",
    ) -> None:
        if vectors.shape != (len(doc_ids), embedder.dimensions):
            raise IndexDamaged(
                f"vectors of shape {vectors.shape} for {len(doc_ids)} documents and "
                f"{embedder.dimensions} dimensions of {embedder.name}",
                hint="open the index with the embedder that built it, or build it again",
            )
        self._vectors = vectors
        self._doc_ids = list(doc_ids)
        self._embedder = embedder
        order = sorted(range(len(doc_ids)), key=self._doc_ids.__getitem__)
        self._places = np.empty(len(order), np.int64)  # place of each document in order of ids
        self._places[order] = np.arange(len(order))
        large = backend == "auto" and len(doc_ids) > EXACT_LIMIT
        self._approximate = Approximate(vectors) if large or backend == "faiss" else None

    @property
    def syntax(self) -> str:
        """Free text: every string is a valid expression."""
        return "text"

    async def search(self, expression: str, *, k: int) -> Ranking:
        """Rank documents for free text; embeds and scans in a thread."""
        return await asyncio.to_thread(self.rank, expression, k=k)

    def rank(self, text: str, *, k: int, live: Live | None = None) -> Ranking:
        """The best ``k`` documents, best first.

        Args:
            live: a predicate on document ids, or a mask by row.
        """
        query = self._embedder.embed([text], role="query")[0]
        return self.rank_vector(query, k=k, live=live)

    def rank_vector(
        self, query: npt.NDArray[np.float32], *, k: int, live: Live | None = None
    ) -> Ranking:
        """As :meth:`rank`, for a query that is embedded already, float32 ``[d]``."""
        mask = live_mask(live, self._doc_ids)
        if k <= 0 or not self._doc_ids:
            return Ranking(())
        best, scores = np.empty(0, np.int64), np.empty(0)
        for positions, vectors in self._candidates(query, k, mask):
            found = np.round(vectors @ query, _DIGITS).astype(np.float64)
            best, scores = self._top(
                np.concatenate((best, positions)), np.concatenate((scores, found)), k
            )
        hits = zip(best.tolist(), scores.tolist(), strict=True)
        return Ranking(tuple(Hit(self._doc_ids[position], score) for position, score in hits))

    def _candidates(
        self, query: npt.NDArray[np.float32], k: int, mask: npt.NDArray[np.bool_] | None
    ) -> Iterator[tuple[Positions, Vectors]]:
        """What to score exactly, positions with their vectors, in blocks that fit into memory."""
        if self._approximate is not None:
            positions = self._approximate.candidates(query, k, mask)
            yield positions, self._vectors[positions]
            return
        for start in range(0, len(self._doc_ids), _BLOCK):
            block = self._vectors[start : start + _BLOCK]
            if mask is None:
                yield np.arange(start, start + len(block)), block
            else:
                kept = np.flatnonzero(mask[start : start + _BLOCK])
                yield start + kept, block[kept]

    def _top(
        self, positions: Positions, scores: npt.NDArray[np.float64], k: int
    ) -> tuple[Positions, npt.NDArray[np.float64]]:
        """The best k, in order; all that tie with the k-th take part in the order by id."""
        if len(scores) > k:
            edge = np.partition(scores, len(scores) - k)[len(scores) - k]
            positions, scores = positions[scores >= edge], scores[scores >= edge]
        order = np.lexsort((self._places[positions], -scores))[:k]
        return positions[order], scores[order]
