"""Quality as a search goes on: after so many judgements, and after so many tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leafward.evaluate.experiments.traces import Study, looks
from leafward.evaluate.experiments.values import estimated_together
from leafward.evaluate.measures import Measures
from leafward.evaluate.summary import Estimate
from leafward.types import Collection, Hit, Ranking


@dataclass(frozen=True, slots=True)
class Point:
    """Quality when every search is stopped after ``judgements`` (those that ended earlier have
    ended); ``tokens`` is the mean over queries of what had been spent by then."""

    judgements: int
    tokens: float
    estimate: Estimate


def curve(
    by_seed: Sequence[Sequence[Study]], collection: Collection, measure: str
) -> tuple[Point, ...]:
    """Points of one method; values of a query are means over seeds."""
    found = [study for studies in by_seed for study in studies]
    if not any(study.hits for study in found):
        return ()
    measures = Measures([measure])
    wanted = looks(max(max(study.hits, default=0) for study in found))
    values = {str(look): _values(by_seed, collection, measures, look) for look in wanted}
    estimates = estimated_together(values)
    return tuple(
        Point(look, float(np.mean([_spent(study, look) for study in found])), estimates[str(look)])
        for look in wanted
    )


def _values(
    by_seed: Sequence[Sequence[Study]], collection: Collection, measures: Measures, look: int
) -> dict[str, float]:
    """By query, the mean over seeds of what had been found by then."""
    values: dict[str, list[float]] = {}
    for studies in by_seed:
        rankings = {study.query_id: Ranking(_at(study, look), study.query_id) for study in studies}
        (scored,) = measures.per_query(collection.qrels, rankings).values()
        for query, value in scored.items():
            values.setdefault(query, []).append(value)
    return {query: float(np.mean(several)) for query, several in values.items()}


def _last(study: Study, look: int) -> int | None:
    """The latest look at a search that is not after ``look``."""
    return max((earlier for earlier in study.hits if earlier <= look), default=None)


def _at(study: Study, look: int) -> tuple[Hit, ...]:
    last = _last(study, look)
    return () if last is None else study.hits[last]


def _spent(study: Study, look: int) -> int:
    last = _last(study, look)
    return 0 if last is None else study.tokens[last]
