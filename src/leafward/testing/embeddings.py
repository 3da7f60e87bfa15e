"""Deterministic embeddings: hashed bags of words, so that texts that share words are near."""

from __future__ import annotations

import base64
import math
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from leafward.testing.refusals import Refused
from leafward.testing.stats import Bill
from leafward.testing.words import content_words, count_tokens, stable_hash

_PLACES = 4  # entries that a word sets


def embed(text: str, dimensions: int) -> list[float]:
    """A unit vector of the text's content words."""
    vector = [0.0] * dimensions
    for word in content_words(text) or [text]:
        for place, sign in _places(word, dimensions):
            vector[place] += sign
    norm = math.sqrt(sum(value * value for value in vector))
    if norm == 0.0:  # the words cancelled each other out
        vector[stable_hash(text) % dimensions] = norm = 1.0
    return [value / norm for value in vector]


@lru_cache(maxsize=100_000)
def _places(word: str, dimensions: int) -> tuple[tuple[int, float], ...]:
    hashes = (stable_hash(word, number) for number in range(_PLACES))
    return tuple((h // 2 % dimensions, 1.0 if h % 2 else -1.0) for h in hashes)


def read_inputs(body: Mapping[str, Any]) -> list[str]:
    """The texts to embed; Refused for what a real server refuses, the empty text included."""
    value = body.get("input")
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts:
        raise Refused(400, "'input' must be a text or a list of texts.", param="input")
    if not all(isinstance(text, str) and text for text in texts):
        raise Refused(
            400, "'$.input' is invalid: each must be a text, and not empty.", param="input"
        )
    return texts


def embeddings_answer(
    body: Mapping[str, Any], texts: Sequence[str], dimensions: int, *, with_usage: bool
) -> tuple[dict[str, Any], Bill]:
    """The answer of ``/v1/embeddings`` and its bill."""
    size = body.get("dimensions") or dimensions
    if not isinstance(size, int) or size < 1:
        raise Refused(400, "'dimensions' must be a positive integer.", param="dimensions")
    packed = body.get("encoding_format") == "base64"
    bill = Bill(sum(map(count_tokens, texts)), 0, 0)
    data = [
        {"object": "embedding", "index": n, "embedding": _pack(embed(text, size), packed)}
        for n, text in enumerate(texts)
    ]
    answer: dict[str, Any] = {"object": "list", "data": data, "model": body.get("model", "")}
    if with_usage:
        answer["usage"] = {"prompt_tokens": bill.prompt, "total_tokens": bill.prompt}
    return answer, bill


def _pack(vector: list[float], packed: bool) -> list[float] | str:
    floats = array("f", vector)
    return base64.b64encode(floats.tobytes()).decode() if packed else floats.tolist()
