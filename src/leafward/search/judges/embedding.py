"""The embedding judge: cosine between query and candidate; free, and the zero-key default."""

from __future__ import annotations

import asyncio

import numpy as np

from leafward.protocols import Embedder, Vectors
from leafward.types import Judgement, Query, Slate

REMEMBERED = 256  # query vectors kept; one search asks for the same one on every slate


class EmbeddingJudge:
    """Scores a candidate by its vector's cosine to the query, cut to [0, 1].

    ``node_vectors`` is float32 ``[nodes, d]`` by node id, ``leaf_vectors`` ``[leaves, d]`` by
    leaf position, both with unit rows.
    """

    def __init__(self, embedder: Embedder, node_vectors: Vectors, leaf_vectors: Vectors) -> None:
        self._embedder = embedder
        self._nodes = node_vectors
        self._leaves = leaf_vectors
        self._queries: dict[str, Vectors] = {}

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Score every candidate."""
        vector = await self._query_vector(query.text)
        count = len(self._nodes)
        scores: dict[int, float] = {}
        for candidate in slate.candidates:
            inner = candidate.node < count
            row = self._nodes[candidate.node] if inner else self._leaves[candidate.node - count]
            scores[candidate.node] = float(np.clip(row @ vector, 0.0, 1.0))
        return Judgement(scores)

    async def _query_vector(self, text: str) -> Vectors:
        if text not in self._queries:
            if len(self._queries) >= REMEMBERED:
                self._queries.clear()
            embedded = await asyncio.to_thread(self._embedder.embed, [text], role="query")
            self._queries[text] = embedded[0]
        return self._queries[text]
