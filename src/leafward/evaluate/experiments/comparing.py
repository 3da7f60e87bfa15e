"""Two experiments side by side: the same methods under other conditions, query by query."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from leafward.errors import CorpusError, SettingsError
from leafward.evaluate.experiments.folder import Folder
from leafward.evaluate.experiments.table import read_csv
from leafward.evaluate.experiments.values import estimated
from leafward.evaluate.statistics import Comparison, compare, holm
from leafward.evaluate.summary import Estimate


class Manifest(BaseModel):
    """What `compare` needs of an experiment's manifest."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    collection: str
    split: str
    measures: list[str]


@dataclass(frozen=True, slots=True)
class Paired:
    """A method of A against one of B on one measure, on the queries that both have.

    Differences are B minus A.
    """

    method_a: str
    method_b: str
    measure: str
    a: Estimate
    b: Estimate
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class ExperimentComparison:
    """All pairs of two experiments; p-values are corrected within each measure.

    ``only_a`` and ``only_b`` are methods that only one of them has.
    """

    a: str
    b: str
    collection: str
    split: str
    pairs: tuple[Paired, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def compare_experiments(
    a: str | Path, b: str | Path, *, pairs: Sequence[tuple[str, str]] = ()
) -> ExperimentComparison:
    """Compare the results of two experiments on the same collection.

    Args:
        a, b: folders of results.
        pairs: which method of A to compare with which of B; those of one name, where none is given.

    Raises:
        SettingsError: other collections, no common method or measure, or no such method.
        CorpusError: a folder holds no results.
    """
    told_a, told_b = _manifest(Path(a)), _manifest(Path(b))
    if (told_a.collection, told_a.split) != (told_b.collection, told_b.split):
        raise SettingsError(
            f"{told_a.collection} {told_a.split} and {told_b.collection} {told_b.split} differ",
            hint="compare experiments on the same collection and split",
        )
    values_a, values_b = (read_csv(Folder(Path(folder)).table) for folder in (a, b))
    chosen = list(pairs) or [(name, name) for name in values_a if name in values_b]
    _check(chosen, values_a, values_b)
    measures = [name for name in told_a.measures if name in told_b.measures]
    if not measures:
        raise SettingsError(
            "the two experiments have no measure in common", hint="name one in both files"
        )
    found = [
        _paired(one, other, measure, values_a[one][measure], values_b[other][measure])
        for measure in measures
        for one, other in chosen
    ]
    return ExperimentComparison(
        told_a.name,
        told_b.name,
        told_a.collection,
        told_a.split,
        tuple(_corrected(found)),
        tuple(name for name in values_a if name not in {one for one, _ in chosen}),
        tuple(name for name in values_b if name not in {other for _, other in chosen}),
    )


def _manifest(folder: Path) -> Manifest:
    path = Folder(folder).manifest
    try:
        return Manifest.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise CorpusError(
            "this is no folder of experiment results",
            path=folder,
            hint="name the folder that `leafward experiment run` wrote",
        ) from error


Values = dict[str, dict[str, dict[str, float]]]


def _check(chosen: Sequence[tuple[str, str]], a: Values, b: Values) -> None:
    if not chosen:
        raise SettingsError(
            "the two experiments have no method of the same name",
            hint=f"name pairs: one of {', '.join(a)} with one of {', '.join(b)}",
        )
    for side, names, values in (("A", [o for o, _ in chosen], a), ("B", [o for _, o in chosen], b)):
        for name in names:
            if name not in values:
                raise SettingsError(
                    f"{side} has no method {name!r}", hint=f"it has {', '.join(values)}"
                )


def _paired(one: str, other: str, measure: str, a: dict[str, float], b: dict[str, float]) -> Paired:
    comparison = compare(a, {other: b})[0]
    shared = [query for query in a if query in b]
    return Paired(
        one,
        other,
        measure,
        estimated({query: a[query] for query in shared}),
        estimated({query: b[query] for query in shared}),
        comparison,
    )


def _corrected(pairs: list[Paired]) -> list[Paired]:
    """Holm's correction over the methods of each measure."""
    corrected: list[Paired] = []
    for measure in dict.fromkeys(pair.measure for pair in pairs):
        family = [pair for pair in pairs if pair.measure == measure]
        found = holm({str(n): pair.comparison.p_value for n, pair in enumerate(family)})
        corrected += [
            replace(pair, comparison=replace(pair.comparison, p_corrected=found[str(n)]))
            for n, pair in enumerate(family)
        ]
    return corrected
