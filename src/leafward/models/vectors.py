"""Vectors in the answers of providers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ValidationError

Vector = npt.NDArray[np.float32]


class _Row(BaseModel):
    index: int | None = None
    embedding: list[float]


class _Usage(BaseModel):
    prompt_tokens: int | None = None


class _Reply(BaseModel):
    data: list[_Row]
    usage: _Usage | None = None


def read_embeddings(body: str, count: int) -> tuple[list[Vector], int | None] | None:
    """Unit vectors in order of the inputs, and the tokens billed (None where not said).

    None where the body is not ``count`` vectors of one length, finite and not zero.
    """
    try:
        reply = _Reply.model_validate_json(body)
    except ValidationError:
        return None
    rows = reply.data
    if all(row.index is not None for row in rows):
        rows = sorted(rows, key=lambda row: row.index or 0)
        if [row.index for row in rows] != list(range(count)):
            return None
    if len(rows) != count or len({len(row.embedding) for row in rows}) > 1:
        return None
    vectors = [unit(row.embedding) for row in rows]
    if any(vector is None for vector in vectors):
        return None
    tokens = reply.usage.prompt_tokens if reply.usage else None
    return [vector for vector in vectors if vector is not None], tokens


def unit(values: list[float]) -> Vector | None:
    """Values scaled to length one, or None where that cannot be done."""
    exact = np.asarray(values, dtype=np.float64)
    length = np.linalg.norm(exact)
    if not np.isfinite(length) or length == 0.0:
        return None
    return (exact / length).astype(np.float32)
