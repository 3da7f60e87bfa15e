"""The small parts of which rewards are made; each a pure function (query-writing §3)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

Tiers = Sequence[tuple[float, float]]
"""Thresholds with the reward from each on, best first."""

RECALL_TIERS: Tiers = ((0.7, 5.0), (0.5, 4.0), (0.4, 3.0), (0.3, 1.0), (0.1, 0.5), (0.05, 0.1))
"""Literature search: recall at least so high."""

RANK_TIERS: Tiers = ((5, 5.0), (20, 4.0), (50, 2.0), (100, 1.0), (1000, 0.5), (3000, 0.1))
"""Evidence seeking: rank of the first passage that holds an answer at most so deep."""

BELOW = -3.5
"""What a retrieval that reaches no tier is worth, in both."""


def at_least(value: float, tiers: Tiers, *, below: float = BELOW) -> float:
    """The reward of the highest threshold that ``value`` reaches.

    A share of whole numbers equals a decimal threshold exactly where it does so on paper: both are
    rounded to the nearest float.
    """
    return next((reward for bound, reward in tiers if value >= bound), below)


def at_most(rank: int | None, tiers: Tiers, *, below: float = BELOW) -> float:
    """The reward of the first threshold that ``rank`` (from 1, None: not found) is not beyond."""
    if rank is None:
        return below
    return next((reward for bound, reward in tiers if rank <= bound), below)


def count_found(ids: Sequence[str], relevant: Collection[str], k: int) -> int:
    """Relevant documents among the first ``k``, each once."""
    return len(set(relevant).intersection(ids[:k]))


def recall(ids: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant documents among the first ``k``; 0 where none is relevant."""
    return count_found(ids, relevant, k) / len(relevant) if relevant else 0.0


def precision(ids: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Relevant share of the first ``k``; 0 where nothing was found."""
    shown = ids[:k]
    return count_found(ids, relevant, k) / len(shown) if shown else 0.0


def first_rank(ids: Sequence[str], relevant: Collection[str], k: int) -> int | None:
    """Rank from 1 of the first relevant document among the first ``k``, or None."""
    return next((rank for rank, each in enumerate(ids[:k], 1) if each in relevant), None)


def ndcg(ids: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """nDCG at ``k``: gain = grade, discount = log2(rank + 1), as in trec_eval; in [0, 1].

    In the order in which the engine returned them; ties are its own affair.
    """
    ideal = _dcg(sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k])
    gained = _dcg([max(grades.get(each, 0), 0) for each in ids[:k]])
    return gained / ideal if ideal else 0.0


def _dcg(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
