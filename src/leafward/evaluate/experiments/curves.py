"""Quality as a search goes on: after so many judgements, and after so many tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leafward.evaluate.experiments.results import estimated
from leafward.evaluate.experiments.traces import Study, looks
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
    found = [study for studies in by_seed for study in studies if study.hits]
    if not found:
        return ()
    measures = Measures([measure])
    wanted = looks(max(max(study.hits) for study in found))
    return tuple(_point(by_seed, collection, measures, look) for look in wanted)


def _point(
    by_seed: Sequence[Sequence[Study]], collection: Collection, measures: Measures, look: int
) -> Point:
    values: dict[str, list[float]] = {}
    spent: list[int] = []
    for studies in by_seed:
        rankings = {study.query_id: Ranking(_at(study, look), study.query_id) for study in studies}
        for query, value in measures.per_query(collection.qrels, rankings)[
            measures.names[0]
        ].items():
            values.setdefault(query, []).append(value)
        spent += [_spent(study, look) for study in studies]
    means = {query: float(np.mean(several)) for query, several in values.items()}
    return Point(look, float(np.mean(spent)), estimated(means))


def _last(study: Study, look: int) -> int | None:
    """The latest look at a search that is not after ``look``."""
    return max((earlier for earlier in study.hits if earlier <= look), default=None)


def _at(study: Study, look: int) -> tuple[Hit, ...]:
    last = _last(study, look)
    return () if last is None else study.hits[last]


def _spent(study: Study, look: int) -> int:
    last = _last(study, look)
    return 0 if last is None else study.tokens[last]
