"""Embeddings under the content hash of their text."""

from __future__ import annotations

import base64
import json

import numpy as np

from leafward.models.vectors import Vector
from leafward.protocols import CallCache
from leafward.remote.keys import canonical, look_up
from leafward.types import Usage


class VectorCache:
    """The vectors of one model at one address; without a store it forgets everything."""

    def __init__(self, cache: CallCache | None, *, model: str, base_url: str) -> None:
        self._cache = cache
        self._model = model
        self._base_url = base_url

    def get(self, text: str) -> Vector | None:
        """The vector of a text, or None."""
        return None if self._cache is None else look_up(self._cache, self._request(text), decode)[1]

    def put(self, text: str, vector: Vector, usage: Usage) -> None:
        """Store the vector of a text, with its share of what the batch cost."""
        if self._cache is None:
            return
        request = self._request(text)
        key, _ = look_up(self._cache, request, decode)
        self._cache.put(
            key,
            kind="embed",
            model=self._model,
            request=request,
            answer=encode(vector),
            usage=usage,
        )

    def _request(self, text: str) -> str:
        return canonical({"embed": text, "model": self._model, "base_url": self._base_url})


def encode(vector: Vector) -> str:
    """A vector as JSON: base64 of little-endian float32, the same bits when it comes back."""
    return json.dumps({"f32": base64.b64encode(vector.astype("<f4").tobytes()).decode()})


def decode(answer: str) -> Vector | None:
    """A stored vector, or None where the row is damaged."""
    try:
        data = base64.b64decode(json.loads(answer)["f32"], validate=True)
        vector = np.frombuffer(data, dtype="<f4").astype(np.float32)
    except (ValueError, TypeError, KeyError):
        return None
    sound = vector.size > 0 and abs(float(np.linalg.norm(vector)) - 1.0) < 1e-3
    return vector if sound else None
