"""Quality against what it costs: tokens (LATTICE's Figure 1), and judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leafward.evaluate.experiments.curves import Point
from leafward.evaluate.experiments.figures.style import (
    GREY,
    colour,
    headline,
    legend_below,
    marker,
    new_figure,
    whiskers,
)
from leafward.evaluate.experiments.results import MethodResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curves = Mapping[str, Sequence[Point]]


@dataclass(frozen=True, slots=True)
class Drawable:
    """A method with its place in the order of colours, its final quality and tokens a query."""

    place: int
    method: MethodResult
    measure: str
    asked: int

    @property
    def label(self) -> str:
        """The method's name; with the number of its queries, where it has not asked them all."""
        if self.method.queries == self.asked:
            return self.method.label
        return f"{self.method.label} ({self.method.queries} of {self.asked} queries)"

    @property
    def tokens(self) -> float:
        return float(np.mean(list(self.method.tokens.values())))


def against_tokens(methods: Sequence[Drawable], curves: Curves, about: str) -> Figure | None:
    """Quality by tokens a query, on a logarithmic scale; methods without tokens to the left.

    None where no method used a model that is paid by the token.
    """
    paid = [each for each in methods if each.tokens > 0]
    if not paid:
        return None
    free = [each for each in methods if each.tokens == 0]
    figure = new_figure(3.9)
    axes = _panels(figure, len(free))
    headline(figure, f"{methods[0].measure} against tokens", about)
    right = axes[-1]
    for each in paid:
        _line(right, each, [point for point in curves.get(each.method.label, ()) if point.tokens])
        _final(right, each, each.tokens)
    _log_axis(right)
    right.set_xlabel("tokens a query (prompt and completion, log scale)")
    if free:
        _without_tokens(axes[0], free)
    axes[0].set_ylabel(methods[0].measure)
    legend_below(figure, right)
    return figure


def against_judgements(
    methods: Sequence[Drawable], curves: Curves, baseline: str | None, about: str
) -> Figure | None:
    """Quality when every search is stopped after so many judgements; None without tree search."""
    drawn = [each for each in methods if curves.get(each.method.label)]
    if not drawn:
        return None
    figure = new_figure(3.7)
    axes = figure.subplots()
    for each in methods:
        if each.method.label == baseline and each not in drawn:
            level = each.method.estimates[each.measure].mean
            axes.axhline(level, color=GREY, linestyle="--", linewidth=1.1)
            axes.annotate(
                baseline,
                (1, level),
                xycoords=("axes fraction", "data"),
                xytext=(0, 3),
                textcoords="offset points",
                ha="right",
                color=GREY,
                fontsize=8.5,
            )
    for each in drawn:
        points = curves[each.method.label]
        steps = [point.judgements for point in points]
        axes.plot(
            steps,
            [point.estimate.mean for point in points],
            color=colour(each.place),
            marker=marker(each.place),
            markersize=3.5,
            label=each.label,
        )
        _band(axes, steps, points, colour(each.place))
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("judgements (slates judged) when the search is stopped")
    axes.set_ylabel(methods[0].measure)
    headline(figure, f"{methods[0].measure} against judgements", about)
    legend_below(figure, axes)
    return figure


def _log_axis(axes: Axes) -> None:
    """Ticks at 1, 2 and 5 of each decade, so that a short range has several too."""
    from matplotlib.ticker import LogLocator, NullLocator

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda tokens, _place: f"{tokens:,.0f}")


def _panels(figure: Figure, free: int) -> list[Axes]:
    if not free:
        return [figure.subplots()]
    ratios = [min(0.45 * free + 0.3, 2.4), 4.0]
    panels: list[Axes] = list(figure.subplots(1, 2, sharey=True, width_ratios=ratios))
    panels[1].tick_params(left=False)
    panels[1].spines["left"].set_visible(False)
    return panels


def _line(axes: Axes, each: Drawable, points: Sequence[Point]) -> None:
    """The way to the end of the search: what it would have found with fewer tokens."""
    if len(points) < 2:
        return
    tokens = [point.tokens for point in points]
    axes.plot(tokens, [point.estimate.mean for point in points], color=colour(each.place))
    _band(axes, tokens, points, colour(each.place))


def _final(axes: Axes, each: Drawable, x: float) -> None:
    means, ends = whiskers([each.method.estimates[each.measure]])
    axes.errorbar(
        [x],
        means,
        yerr=ends,
        color=colour(each.place),
        marker=marker(each.place),
        markersize=7,
        linestyle="none",
        capsize=3,
        label=each.label,
    )


def _without_tokens(axes: Axes, free: Sequence[Drawable]) -> None:
    for x, each in enumerate(free):
        _final(axes, each, float(x))
    axes.set_xticks(range(len(free)), [each.method.label for each in free], rotation=45, ha="right")
    axes.set_xlim(-0.6, len(free) - 0.4)
    axes.set_xlabel("no tokens")


def _band(axes: Axes, x: Sequence[float], points: Sequence[Point], shade: str) -> None:
    lows = [point.estimate.interval.low for point in points]
    highs = [point.estimate.interval.high for point in points]
    axes.fill_between(x, lows, highs, color=shade, alpha=0.13, linewidth=0)
