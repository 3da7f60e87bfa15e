"""Spectral clustering through scikit-learn, with the same bounds as the default clusterer."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from leafward.errors import MissingExtra
from leafward.protocols import Vectors
from leafward.tree.kmeans import Labels, capacity_of, centroids_of, settle

_MOST_FITTED = 2_000  # the affinity matrix is quadratic
_FLOOR = 1e-3  # keeps the graph connected where vectors point apart


class SpectralClusterer:
    """Normalised-cut clusters of the cosine affinity (extra ``cluster``).

    Fitted on at most 2,000 vectors; the others, and whatever exceeds the capacity, go to the
    nearest centroid of those clusters with room.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """

    def __init__(self) -> None:
        self._sklearn = _sklearn()

    def split(
        self, vectors: Vectors, parts: int, *, seed: int, capacity: int | None = None
    ) -> Labels:
        """As :meth:`BalancedKMeans.split`."""
        limit = capacity_of(len(vectors), parts, capacity)
        if parts == 1:
            return np.zeros(len(vectors), np.int64)
        fitted = self._fitted_on(vectors, parts, seed)
        affinity = np.maximum(fitted @ fitted.T, _FLOOR).astype(np.float64)
        model = self._sklearn.SpectralClustering(
            parts, affinity="precomputed", assign_labels="cluster_qr", random_state=seed
        )
        labels = np.asarray(model.fit_predict(affinity), np.int64)
        centroids = centroids_of(fitted, labels, fitted[:parts])
        return settle(vectors, centroids, limit)

    def _fitted_on(self, vectors: Vectors, parts: int, seed: int) -> Vectors:
        most = max(_MOST_FITTED, parts)
        if len(vectors) <= most:
            return vectors
        chosen = np.random.default_rng(seed).choice(len(vectors), most, replace=False)
        return vectors[np.sort(chosen)]


def _sklearn() -> ModuleType:
    try:
        import sklearn.cluster
    except ImportError:
        raise MissingExtra("scikit-learn", "cluster") from None
    module: ModuleType = sklearn.cluster
    return module
