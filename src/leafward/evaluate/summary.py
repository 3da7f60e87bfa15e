"""From outcomes to figures: every measure with its interval, and what it all took."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leafward.evaluate.measures import Measures
from leafward.evaluate.statistics import Interval, bootstrap_columns
from leafward.types import NO_USAGE, Collection, JsonValue, Outcome, Usage

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a measure over queries and its 95 % bootstrap interval."""

    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Summary:
    """What a method achieved on a collection, and what that took.

    ``measures`` are by ir-measures name; there are none where no query has a ranking. ``per_query``
    holds their values by measure and query id. Means are over ``queries``: those with a ranking.
    ``failed`` queries were lost to failures of ours, ``missing`` ones were never finished; neither
    counts in a mean. ``judged`` documents were read by a judge, ``degraded`` rankings are worse for
    a lost call. ``seconds`` is the wall time of all queries added up (with several in flight the
    clock shows less), ``median_seconds`` that of a single one. ``seed`` is the bootstrap's.
    """

    method: str
    collection: str
    split: str
    measures: Mapping[str, Estimate]
    per_query: Mapping[str, Mapping[str, float]]
    usage: Usage
    seconds: float
    median_seconds: float
    judged: int
    degraded: int
    failed: int
    missing: int
    queries: int
    seed: int

    def as_json(self) -> dict[str, JsonValue]:
        """The object that ``leafward eval --json`` prints."""
        return {
            "method": self.method,
            "collection": self.collection,
            "split": self.split,
            "queries": self.queries,
            "measures": {name: _estimate(value) for name, value in self.measures.items()},
            "confidence": CONFIDENCE,
            "usage": dataclasses.asdict(self.usage),
            "seconds": self.seconds,
            "median_seconds": self.median_seconds,
            "judged": self.judged,
            "degraded": self.degraded,
            "failed": self.failed,
            "missing": self.missing,
            "seed": self.seed,
        }


def summarise(
    outcomes: Sequence[Outcome],
    collection: Collection,
    measures: Measures,
    *,
    seed: int = 0,
    method: str = "",
) -> Summary:
    """Score outcomes against a collection's judgements."""
    rankings = {o.query_id: o.ranking for o in outcomes if o.ranking is not None}
    excluded = {query.id: query.excluded_ids for query in collection.queries}
    per_query = measures.per_query(collection.qrels, rankings, excluded)
    seconds = [outcome.seconds for outcome in outcomes]
    return Summary(
        method=method,
        collection=collection.name,
        split=collection.split,
        measures=_estimates(per_query, seed),
        per_query=per_query,
        usage=sum((ranking.usage for ranking in rankings.values()), NO_USAGE),
        seconds=sum(seconds),
        median_seconds=float(np.median(seconds)) if seconds else 0.0,
        judged=sum(ranking.judged for ranking in rankings.values()),
        degraded=sum(ranking.degraded for ranking in rankings.values()),
        failed=sum(outcome.ranking is None for outcome in outcomes),
        missing=len({query.id for query in collection.queries} - {o.query_id for o in outcomes}),
        queries=len(next(iter(per_query.values()))),
        seed=seed,
    )


def _estimates(per_query: Mapping[str, Mapping[str, float]], seed: int) -> dict[str, Estimate]:
    table = np.array([list(values.values()) for values in per_query.values()]).T
    if not table.size:
        return {}
    intervals = bootstrap_columns(table, confidence=CONFIDENCE, seed=seed)
    return {
        name: Estimate(float(mean), interval)
        for name, mean, interval in zip(per_query, table.mean(axis=0), intervals, strict=True)
    }


def _estimate(estimate: Estimate) -> JsonValue:
    return {
        "mean": estimate.mean,
        "interval": [estimate.interval.low, estimate.interval.high],
    }
