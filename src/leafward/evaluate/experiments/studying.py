"""Everything that an experiment's report and figures show, calculated once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leafward.evaluate.experiments.calibrated import Calibrated, calibrated
from leafward.evaluate.experiments.curves import Point, curve
from leafward.evaluate.experiments.losses import Losses, losses
from leafward.evaluate.experiments.results import ExperimentResult
from leafward.evaluate.experiments.traces import studies


@dataclass(frozen=True, slots=True)
class Studied:
    """An experiment's results with what its traces tell, by method label.

    ``about`` names the data in a figure's title: set, split, number of queries and seeds.
    """

    result: ExperimentResult
    about: str
    curves: Mapping[str, tuple[Point, ...]]
    losses: Mapping[str, Losses]
    calibrated: Mapping[str, Calibrated]


def study(result: ExperimentResult) -> Studied:
    """Go through every trace of every tree search."""
    curves: dict[str, tuple[Point, ...]] = {}
    lost: dict[str, Losses] = {}
    scores: dict[str, Calibrated] = {}
    for method in result.methods:
        by_seed = studies(method, result.collection)
        if not any(by_seed):
            continue
        curves[method.label] = curve(by_seed, result.collection, result.measure)
        lost[method.label] = losses(each for studied in by_seed for each in studied)
        if (found := calibrated(by_seed)) is not None:
            scores[method.label] = found
    return Studied(result, about(result), curves, lost, scores)


def about(result: ExperimentResult) -> str:
    """Data set, split, queries and seeds in a few words."""
    seeds = max(len(method.seeds) for method in result.methods)
    collection = result.collection
    told = f"{collection.name} {collection.split}, n = {len(collection.queries):,} queries"
    return f"{told}, up to {seeds} seeds" if seeds > 1 else told
