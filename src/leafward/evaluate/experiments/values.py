"""Numbers that an experiment's results are made of: means over seeds, estimates, tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from leafward.evaluate.statistics import bootstrap_columns
from leafward.evaluate.summary import Estimate
from leafward.types import Usage


def full_tokens(usage: Usage) -> int:
    """Prompt and completion tokens, whether they were paid for now or earlier."""
    return usage.tokens + usage.saved_tokens


def estimated(values: Mapping[str, float]) -> Estimate:
    """Mean over queries with its bootstrap interval."""
    return estimated_together({"": values})[""]


def estimated_together(tables: Mapping[str, Mapping[str, float]]) -> dict[str, Estimate]:
    """Means with their intervals of several values of the same queries, by name.

    All see the same resampled queries, which is as good and much quicker than one by one.
    """
    if not tables:
        return {}
    columns = np.array([list(values.values()) for values in tables.values()], dtype=np.float64).T
    intervals = bootstrap_columns(columns)
    return {
        name: Estimate(float(mean), interval)
        for name, mean, interval in zip(tables, columns.mean(axis=0), intervals, strict=True)
    }


def means_over_seeds(tables: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """By query, the mean over the tables that have it; in order of first appearance."""
    queries = dict.fromkeys(query for table in tables for query in table)
    return {
        query: float(np.mean([table[query] for table in tables if query in table]))
        for query in queries
    }
