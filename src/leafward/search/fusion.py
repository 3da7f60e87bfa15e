"""Fusing rankings of several sources (LATTICE v2 §3.1 and B.5; reciprocal rank fusion).

A document that a source did not return scores 0 there after scaling, as its last hit does: what a
source has not found within its depth it has not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from leafward.types import Hit

Hits = Sequence[Hit]

PEAK_HITS = 100
"""How many of a source's best hits tell how peaked it is."""


def min_max(hits: Hits) -> dict[str, float]:
    """Scores scaled to [0, 1], by document; where all are equal, each is 1."""
    if not hits:
        return {}
    scores = [hit.score for hit in hits]
    low, high = min(scores), max(scores)
    if high == low:
        return dict.fromkeys((hit.doc_id for hit in hits), 1.0)
    return {hit.doc_id: (hit.score - low) / (high - low) for hit in hits}


def weighted(sources: Sequence[Hits], weights: Sequence[float]) -> tuple[Hit, ...]:
    """Weighted sum of min-max scaled scores over the union of the sources' hits, best first.

    Weights are made to sum to 1 over the sources that found anything. Ties go by document id.
    """
    present = sum(weight for hits, weight in zip(sources, weights, strict=True) if hits)
    total = present or 1.0
    parts = (
        {doc_id: weight / total * score for doc_id, score in min_max(hits).items()}
        for hits, weight in zip(sources, weights, strict=True)
    )
    return _ranked(_summed(parts))


def reciprocal_rank(sources: Sequence[Hits], *, c: int = 60) -> tuple[Hit, ...]:
    """Σ 1 / (c + rank) over the sources, ranks from 1, best first; ties go by document id.

    Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
    individual Rank Learning Methods", SIGIR 2009.
    """
    return _ranked(
        _summed(
            {hit.doc_id: 1.0 / (c + rank) for rank, hit in enumerate(hits, start=1)}
            for hits in sources
        )
    )


def peakedness(hits: Hits) -> float:
    """How far a source's best hit stands above its others, in [0, 1].

    1 minus the mean min-max scaled score of the others among the best :data:`PEAK_HITS`: 1 where
    one hit stands alone above equals, 0 where all are equal, 1/2 where scores fall evenly. A source
    of one hit is worth 1/2: it says nothing about the shape.
    """
    scores = np.sort([hit.score for hit in hits])[::-1][:PEAK_HITS]
    if len(scores) == 0:
        return 0.0
    if len(scores) == 1:
        return 0.5
    spread = scores[0] - scores[-1]
    if spread <= 0:
        return 0.0
    return float(1.0 - ((scores[1:] - scores[-1]) / spread).mean())


def adapted(
    sources: Sequence[Hits], weights: Sequence[float], *, power: float
) -> tuple[float, ...]:
    """Weights of one query: ``w_i · peakedness_i^power``, made to sum to 1.

    ``power`` 0 gives the fixed weights back; the fixed weights too where every product is 0.
    """
    raw = [
        weight * peakedness(hits) ** power for hits, weight in zip(sources, weights, strict=True)
    ]
    chosen = raw if sum(raw) > 0 else list(weights)
    return tuple(weight / sum(chosen) for weight in chosen)


def _summed(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for part in parts:
        for doc_id, score in part.items():
            scores[doc_id] = scores.get(doc_id, 0.0) + score
    return scores


def _ranked(scores: Mapping[str, float]) -> tuple[Hit, ...]:
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Hit(doc_id, score) for doc_id, score in ordered)
