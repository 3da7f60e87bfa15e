"""What calibration did in all searches of a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leafward.evaluate.experiments.traces import Study
from leafward.evaluate.experiments.values import estimated
from leafward.evaluate.summary import Estimate


@dataclass(frozen=True, slots=True)
class Calibrated:
    """All searches of a method together: gaps of scores, and the chance to rank a pair right."""

    before: tuple[float, ...]
    after: tuple[float, ...]
    auc_before: Estimate | None
    auc_after: Estimate | None
    queries: int


def calibrated(by_seed: Sequence[Sequence[Study]]) -> Calibrated | None:
    """Gather what calibration did; None where no search calibrated."""
    found = [(s.query_id, s.agreement) for studies in by_seed for s in studies if s.agreement]
    if not found:
        return None
    aucs: dict[str, list[tuple[float, float]]] = {}
    for query, each in found:
        if each.auc_before is not None and each.auc_after is not None:
            aucs.setdefault(query, []).append((each.auc_before, each.auc_after))
    means = {query: np.mean(several, axis=0) for query, several in aucs.items()}
    return Calibrated(
        tuple(gap for _, each in found for gap in each.gaps_before),
        tuple(gap for _, each in found for gap in each.gaps_after),
        estimated({q: float(pair[0]) for q, pair in means.items()}) if means else None,
        estimated({q: float(pair[1]) for q, pair in means.items()}) if means else None,
        len(means),
    )
