"""What a training curve and a report say of many episodes (query-writing §5)."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from leafward.types import Episode


@dataclass(frozen=True, slots=True)
class Tally:
    """Figures of some episodes. Shares and means are over scored ones, None where there is none.

    ``unscored`` counts our own failures. ``valid`` is the share whose format is right, ``executed``
    the share that the engine could execute too, ``found`` the share that found anything relevant;
    ``measure`` is the mean of the reward's own (recall, reciprocal rank, nDCG), 0 for what was not
    executed. Of what was executed are the shares ``empty`` and ``at_cap``, the mean ``precision``
    and the median ``hits``. ``levels`` is the share of scored episodes by the reward of the
    answer's part, best first. Lengths are mean characters of thought and expression over valid
    ones.
    """

    episodes: int
    unscored: int
    reward: float | None
    valid: float | None
    executed: float | None
    found: float | None
    empty: float | None
    at_cap: float | None
    precision: float | None
    measure: float | None
    hits: float | None
    thought_length: float | None
    expression_length: float | None
    levels: Mapping[float, float]
    flaws: Mapping[str, int]


def tally(episodes: Sequence[Episode]) -> Tally:
    """Sum up episodes."""
    scores = [each.score for each in episodes if each.score is not None]
    scored = [each for each in episodes if each.score is not None]
    valid = [each for each in scored if each.rewrite.well_formed]
    run = [each for each in valid if each.hits is not None]
    count = Counter(score.answer for score in scores if score.answer is not None)
    return Tally(
        episodes=len(episodes),
        unscored=len(episodes) - len(scored),
        reward=_mean(score.value for score in scores),
        valid=_mean(each.rewrite.well_formed for each in scored),
        executed=_mean(each.hits is not None for each in scored),
        found=_mean(bool(score.measure) for score in scores),
        empty=_mean(each.hits == 0 for each in run),
        at_cap=_mean(bool(each.at_cap) for each in run),
        precision=_mean(each.precision for each in run if each.precision is not None),
        measure=_mean(score.measure or 0.0 for score in scores),
        hits=statistics.median(each.hits or 0 for each in run) if run else None,
        thought_length=_mean(len(each.rewrite.reasoning) for each in valid),
        expression_length=_mean(len(each.rewrite.expression) for each in valid),
        levels={level: count[level] / len(scores) for level in sorted(count, reverse=True)},
        flaws=dict(Counter(flaw.kind for each in episodes for flaw in each.rewrite.problems)),
    )


def _mean(values: Iterable[float]) -> float | None:
    kept = list(values)
    return sum(kept) / len(kept) if kept else None
