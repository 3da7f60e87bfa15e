"""Several expressions for one need, and the one that is kept, by criteria that are told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from leafward.errors import SettingsError
from leafward.types import Rewrite


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many hits are wanted: ``least`` to ``most``.

    Raises:
        SettingsError: no number is within them.
    """

    least: int = 1
    most: int = 3000

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.most:
            raise SettingsError(
                f"no number of hits is between {self.least} and {self.most}",
                hint="give the smaller bound first, and none below 0",
            )

    def distance(self, hits: int) -> float:
        """How far a number of hits is out of bounds, in natural logarithms; 0 within."""
        nearest = min(max(hits, self.least), self.most)
        return abs(math.log1p(hits) - math.log1p(nearest))


@dataclass(frozen=True, slots=True)
class Candidate:
    """An expression that was tried; ``total`` is None where the engine did not count.

    ``failure`` is ours: the engine gave no answer.
    """

    rewrite: Rewrite
    total: int | None = None
    failure: str = ""


def best(candidates: Sequence[Candidate], bounds: Bounds) -> Candidate:
    """The candidate to keep: see :func:`rank`; of equals the one that was written first."""
    return min(candidates, key=lambda candidate: rank(candidate, bounds))


def rank(candidate: Candidate, bounds: Bounds) -> tuple[int, float, bool]:
    """Sort key, least first: executed, then not executed by our fault, then refused, then empty.

    Among executed ones: within bounds, then the nearer to them (nothing found is the farthest);
    then the better format.
    """
    rewrite = candidate.rewrite
    if not rewrite.expression:
        return 3, 0.0, True
    if any(flaw.kind == "syntax-error" for flaw in rewrite.problems):
        return 2, 0.0, not rewrite.well_formed
    if candidate.total is None:
        return 1, 0.0, not rewrite.well_formed
    distance = bounds.distance(candidate.total)
    if candidate.total == 0 and bounds.least > 0:
        distance = math.inf
    return 0, distance, not rewrite.well_formed
