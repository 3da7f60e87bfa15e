"""What an experiment has found out, in memory: runs by method and seed, with their figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leafward.evaluate.experiments.values import (
    estimated_together,
    full_tokens,
    means_over_seeds,
)
from leafward.evaluate.measures import Measures
from leafward.evaluate.statistics import Comparison, compare
from leafward.evaluate.summary import Estimate, Summary, summarise
from leafward.search.replaying import Replay
from leafward.settings import SearchSettings
from leafward.types import NO_USAGE, Collection, Outcome, Query, Trace, Tree, Usage


@dataclass(frozen=True, slots=True)
class SearchView:
    """What replaying the traces of a tree search takes; ``settings`` are those it really had."""

    tree: Tree
    settings: SearchSettings
    k: int

    def replay(self, query: Query, trace: Trace) -> Replay:
        """The search, ready to be gone through again."""
        excluded = query.excluded_ids
        live = np.array([doc not in excluded for doc in self.tree.leaves]) if excluded else None
        return Replay(self.tree, trace, self.settings, live=live, k=self.k)


@dataclass(frozen=True, slots=True)
class Run:
    """One method with one seed: its outcomes, and why it ended early (empty: it did not)."""

    label: str
    method: str
    seed: int
    outcomes: tuple[Outcome, ...]
    view: SearchView | None = None
    stopped: str = ""


@dataclass(frozen=True)
class MethodResult:
    """One method over all of its seeds.

    Values of a query are means over the seeds that have it; intervals are over queries, so that
    seeds do not pass for data.
    """

    label: str
    method: str
    runs: tuple[Run, ...]
    summaries: tuple[Summary, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(run.seed for run in self.runs)

    @cached_property
    def per_query(self) -> Mapping[str, Mapping[str, float]]:
        """Mean over seeds, by measure and query id."""
        return {
            name: means_over_seeds([summary.per_query[name] for summary in self.summaries])
            for name in self.summaries[0].per_query
        }

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """Mean over queries with its interval, by measure; empty where nothing was ranked."""
        return estimated_together({name: each for name, each in self.per_query.items() if each})

    @property
    def queries(self) -> int:
        """Queries with a ranking from at least one seed."""
        return len(next(iter(self.per_query.values())))

    @property
    def usage(self) -> Usage:
        return sum((summary.usage for summary in self.summaries), NO_USAGE)

    @property
    def asked(self) -> int:
        """Rankings that there are: queries times seeds."""
        return sum(summary.queries for summary in self.summaries)

    @property
    def stopped(self) -> str:
        return next((run.stopped for run in self.runs if run.stopped), "")

    def total(self, field: str) -> int:
        """Sum over seeds of ``judged``, ``degraded``, ``failed`` or ``missing``."""
        return sum(int(getattr(summary, field)) for summary in self.summaries)

    @property
    def median_seconds(self) -> float:
        seconds = [o.seconds for run in self.runs for o in run.outcomes if o.ranking is not None]
        return float(np.median(seconds)) if seconds else 0.0

    @cached_property
    def tokens(self) -> Mapping[str, float]:
        """Tokens by query id, mean over seeds, those of answers from the cache included."""
        return means_over_seeds(
            [
                {
                    outcome.query_id: float(full_tokens(outcome.ranking.usage))
                    for outcome in run.outcomes
                    if outcome.ranking is not None
                }
                for run in self.runs
            ]
        )


@dataclass(frozen=True, slots=True)
class Versus:
    """Every method against the baseline on the first measure, corrected for their number."""

    baseline: str
    measure: str
    comparisons: tuple[Comparison, ...]
    deltas: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class ExperimentResult:
    """All methods of an experiment on one collection."""

    collection: Collection
    measures: tuple[str, ...]
    methods: tuple[MethodResult, ...]
    baseline: str | None = None

    @property
    def measure(self) -> str:
        """The measure that comparisons and figures show."""
        return self.measures[0]

    @property
    def complete(self) -> bool:
        """Whether every method has an outcome for every query."""
        return not any(method.stopped or method.total("missing") for method in self.methods)

    @cached_property
    def versus(self) -> Versus | None:
        """The comparison with the baseline; None without one, or where it has no ranking."""
        found = {method.label: method.per_query[self.measure] for method in self.methods}
        base = found.get(self.baseline or "")
        others = {
            label: values
            for label, values in found.items()
            if label != self.baseline and base is not None and base.keys() & values.keys()
        }
        if not base or not others:
            return None
        deltas = {
            label: {query: values[query] - base[query] for query in values if query in base}
            for label, values in others.items()
        }
        return Versus(str(self.baseline), self.measure, compare(base, others), deltas)


def collected(
    runs: Sequence[Run], collection: Collection, measures: Measures, *, baseline: str | None = None
) -> ExperimentResult:
    """Score the runs of an experiment and put the seeds of each method together."""
    by_label: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_label[run.label].append(run)
    methods = tuple(
        MethodResult(
            label,
            members[0].method,
            tuple(members),
            tuple(
                replace(
                    summarise(run.outcomes, collection, measures, method=run.method), seed=run.seed
                )
                for run in members
            ),
        )
        for label, members in by_label.items()
    )
    return ExperimentResult(collection, measures.names, methods, baseline)
