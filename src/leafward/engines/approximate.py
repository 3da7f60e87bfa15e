"""Candidates from a faiss index, to be scored exactly by whoever asks."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from leafward.errors import MissingExtra
from leafward.protocols import Vectors

_OVERSAMPLING = 4
"""Candidates for each wanted document; exact scores then decide among them."""

_PROBED_SHARE = 0.1
"""Share of the clusters that a query looks into."""

_TRAINING = 64
"""Vectors for each cluster that the clustering sees."""


class Approximate:
    """An inverted file of float vectors (faiss ``IndexIVFFlat``), made at the first use.

    About 4·√n clusters, a tenth of which a query reads. Deterministic for the same vectors.

    Raises:
        MissingExtra: faiss is not installed.
    """

    def __init__(self, vectors: Vectors) -> None:
        try:
            import faiss
        except ImportError as error:
            raise MissingExtra("faiss-cpu", "faiss") from error
        self._faiss: Any = faiss
        self._vectors = vectors
        self._index: Any = None
        self._lock = threading.Lock()

    def candidates(
        self, query: npt.NDArray[np.float32], k: int, mask: npt.NDArray[np.bool_] | None
    ) -> npt.NDArray[np.int64]:
        """Positions of about 4·k likely neighbours among the live, int64 ``[m]``, each once."""
        index = self._made()
        settings = self._faiss.SearchParametersIVF(nprobe=max(1, int(index.nlist * _PROBED_SHARE)))
        if mask is not None:
            # Bits in faiss's order, so that filtered vectors cost nothing and none is crowded out.
            bits = np.packbits(mask, bitorder="little")
            settings = self._faiss.SearchParametersIVF(
                nprobe=index.nlist, sel=self._faiss.IDSelectorBitmap(bits)
            )
        row = np.ascontiguousarray(query, dtype=np.float32).reshape(1, -1)
        wanted = min(_OVERSAMPLING * k, len(self._vectors))
        _, found = index.search(row, wanted, params=settings)
        return np.unique(found[0][found[0] >= 0]).astype(np.int64)

    def _made(self) -> Any:
        with self._lock:
            if self._index is None:
                self._index = self._make()
            return self._index

    def _make(self) -> Any:
        count, dimensions = self._vectors.shape
        clusters = max(1, min(int(4 * math.sqrt(count)), count // _TRAINING))
        quantizer = self._faiss.IndexFlatIP(dimensions)
        index = self._faiss.IndexIVFFlat(
            quantizer, dimensions, clusters, self._faiss.METRIC_INNER_PRODUCT
        )
        sample = np.linspace(0, count - 1, min(count, clusters * _TRAINING)).astype(np.int64)
        index.train(np.ascontiguousarray(self._vectors[sample]))
        for start in range(0, count, 65_536):
            index.add(np.ascontiguousarray(self._vectors[start : start + 65_536]))
        return index
