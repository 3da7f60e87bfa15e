"""The noisy oracle: a simulated judge with which the algorithm itself is tested and ablated."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from leafward.search.oracle import Floats, NoiseModel
from leafward.types import Judgement, Query, Slate

NodeRelevance = Callable[[Query], Floats]
"""Gives the true relevance of every node id for a query."""


class NoisyOracleJudge:
    """Scores from known relevance plus set-dependent bias and noise.

    Deterministic: the noise depends on seed, query and the set of candidates, so the same slate
    is always judged alike, as with a model at temperature 0.
    """

    def __init__(self, relevance: NodeRelevance, noise: NoiseModel, *, seed: int = 0) -> None:
        self._relevance = relevance
        self._noise = noise
        self._seed = seed

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Score every candidate."""
        nodes = [candidate.node for candidate in slate.candidates]
        key = f"{self._seed}\0{query.id}\0{query.text}\0{sorted(nodes)}".encode()
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(key).digest()[:8], "big"))
        ordered = sorted(nodes)
        scores = self._noise.score(self._relevance(query)[ordered], rng)
        return Judgement(dict(zip(ordered, scores.tolist(), strict=True)))
