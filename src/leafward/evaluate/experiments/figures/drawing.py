"""Drawing all figures of an experiment into its folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leafward.evaluate.experiments.figures import agreement, deltas, lost, quality
from leafward.evaluate.experiments.figures.style import save, styled
from leafward.evaluate.experiments.folder import Folder
from leafward.evaluate.experiments.studying import Studied

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure that was written: its file name without ending, and what it shows, in words."""

    name: str
    shows: str


def draw_figures(folder: Folder, studied: Studied) -> tuple[Drawn, ...]:
    """Draw every figure that there is something to draw for; older ones are taken away.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    made: list[Drawn] = []
    with styled():
        for name, shows, draw in _FIGURES:
            svg, png = folder.figure(name, "svg"), folder.figure(name, "png")
            figure = draw(studied)
            if figure is None:
                svg.unlink(missing_ok=True)
                png.unlink(missing_ok=True)
                continue
            save(figure, svg, png)
            made.append(Drawn(name, shows))
    return tuple(made)


def _drawable(studied: Studied) -> list[quality.Drawable]:
    result = studied.result
    return [
        quality.Drawable(place, method, result.measure, len(result.collection.queries))
        for place, method in enumerate(result.methods)
        if result.measure in method.estimates
    ]


def _tokens(studied: Studied) -> Figure | None:
    return quality.against_tokens(_drawable(studied), studied.curves, studied.about)


def _judgements(studied: Studied) -> Figure | None:
    baseline = studied.result.baseline
    return quality.against_judgements(_drawable(studied), studied.curves, baseline, studied.about)


def _deltas(studied: Studied) -> Figure | None:
    versus = studied.result.versus
    return None if versus is None else deltas.per_query_deltas(versus, studied.about)


def _lost(studied: Studied) -> Figure | None:
    return lost.where_lost(studied.losses, studied.about)


def _agreement(studied: Studied) -> Figure | None:
    places = {method.label: place for place, method in enumerate(studied.result.methods)}
    return agreement.before_and_after(studied.calibrated, places, studied.about)


_FIGURES: Sequence[tuple[str, str, Callable[[Studied], Figure | None]]] = (
    (
        "quality_tokens",
        "Quality against tokens a query. Lines are tree searches stopped earlier, markers the "
        "whole methods; bands and whiskers are 95 % bootstrap intervals over queries.",
        _tokens,
    ),
    (
        "quality_judgements",
        "Quality when every tree search is stopped after so many judgements, replayed from its "
        "trace; bands are 95 % bootstrap intervals over queries.",
        _judgements,
    ),
    (
        "per_query_deltas",
        "Difference to the baseline for every query, sorted; the mean difference with its 95 % "
        "bootstrap interval stands above each panel.",
        _deltas,
    ),
    (
        "where_lost",
        "What became of the relevant documents in tree search. A document is passed over at the "
        "depth of the first node on its path that was never expanded.",
        _lost,
    ),
    (
        "calibration",
        "Left: how far the scores of one node on two slates lie apart, raw and less the biases "
        "that calibration fits. Right: the chance that a relevant document is scored above another "
        "one, with 95 % bootstrap intervals over queries.",
        _agreement,
    ),
)
