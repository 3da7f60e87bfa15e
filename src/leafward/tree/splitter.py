"""Splits by embedding that always fit the depth that is left."""

from __future__ import annotations

import math

import numpy as np

from leafward.protocols import Clusterer, Vectors
from leafward.settings import BuildSettings
from leafward.tree.kmeans import SLACK, BalancedKMeans
from leafward.tree.lexicon import Ints
from leafward.tree.sizes import FILL, parts_for
from leafward.tree.spectral import SpectralClusterer

_FAN = 16  # parts of one step towards small groups


class Splitter:
    """Partitions vectors into coherent parts of bounded size, deterministic under the seed."""

    def __init__(self, settings: BuildSettings) -> None:
        self._clusterer: Clusterer = (
            BalancedKMeans() if settings.clusterer == "kmeans" else SpectralClusterer()
        )
        self._branching, self._seed = settings.branching, settings.seed

    def split(self, vectors: Vectors, levels: int) -> list[Ints]:
        """Two to M parts, each of at most ``M ** (levels - 1)`` vectors.

        ``levels`` are the edges that may lie between the node and these vectors; at least as many
        as :func:`levels_for` wants, and more than M vectors.
        """
        count, branching = len(vectors), self._branching
        most = branching ** (levels - 1)
        parts = parts_for(count, branching, most)
        capacity = min(most, math.ceil(SLACK * count / parts))
        if count <= parts * branching:
            capacity = min(most, branching)  # the parts need no further split
        return self._cut(vectors, np.arange(count), parts, capacity)

    def groups(self, vectors: Vectors, most: int | None = None) -> list[Ints]:
        """Groups of at most M vectors, similar ones next to each other.

        About ``n / (FILL * M)`` groups; never more than ``most``, which has to be at least n / M.
        """
        found: list[Ints] = []
        waiting = [np.arange(len(vectors))]
        while waiting:
            members = waiting.pop()
            if len(members) <= self._branching:
                found.append(members)
            else:
                waiting += reversed(self._step(vectors, members))
        if most is None or len(found) <= most:
            return found
        row = np.concatenate(found)
        return [row[lo : lo + self._branching] for lo in range(0, len(row), self._branching)]

    def _step(self, vectors: Vectors, members: Ints) -> list[Ints]:
        """One step towards groups: straight to them where ``_FAN`` parts are enough."""
        target = FILL * self._branching
        parts = math.ceil(len(members) / target)
        if parts <= _FAN:
            return self._cut(vectors, members, parts, self._branching)
        parts = max(2, min(_FAN, math.ceil(parts / _FAN)))
        return self._cut(vectors, members, parts, None)

    def _cut(self, vectors: Vectors, members: Ints, parts: int, capacity: int | None) -> list[Ints]:
        labels = self._clusterer.split(vectors[members], parts, seed=self._seed, capacity=capacity)
        order = np.argsort(labels, kind="stable")
        edges = np.cumsum(np.bincount(labels, minlength=parts))[:-1]
        return np.split(members[order], edges)
