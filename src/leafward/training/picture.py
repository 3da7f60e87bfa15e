"""The curves of a run as one picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING

from leafward.evaluate.experiments.figures.style import (
    colour,
    headline,
    new_figure,
    save,
    styled,
)
from leafward.training.curves import Row
from leafward.training.tiers import tier_shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WINDOW = 9
"""Steps in the running mean that lies over the values of single steps."""

Middle = Callable[[Sequence[float]], float]
"""A mean or a median."""

_SHARES = (("valid", "format right"), ("found", "found"), ("at_cap", "at the cap"))
_LENGTHS = (("expression_length", "expression"), ("thought_length", "thought"))


def draw_curves(steps: Sequence[Row], watched: Sequence[Row], path: Path, name: str) -> None:
    """Write ``path.png`` and ``path.svg``: what was sampled in training, and greedy answers to the
    needs held out.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    if not steps and not watched:
        return
    with styled():
        figure = new_figure(6.6)
        panels = figure.subplots(3, 2, sharex=True)
        headline(
            figure, f"Training of {name}", "dots: one step, sampled · squares: held out, greedy"
        )
        _reward(panels[0, 0], steps, watched)
        _shares(panels[0, 1], steps, watched)
        _tiers(panels[1, 0], watched)
        _hits(panels[1, 1], steps, watched)
        _lengths(panels[2, 0], steps)
        _divergence(panels[2, 1], steps)
        for axes in panels[2]:
            axes.set_xlabel("steps")
            axes.xaxis.get_major_locator().set_params(integer=True)
        save(figure, path.with_suffix(".svg"), path.with_suffix(".png"))


def _reward(axes: Axes, steps: Sequence[Row], watched: Sequence[Row]) -> None:
    axes.set_title("mean reward")
    _both(axes, steps, watched, "reward", 0, "sampled, held out")


def _shares(axes: Axes, steps: Sequence[Row], watched: Sequence[Row]) -> None:
    axes.set_title("share of completions")
    axes.set_ylim(-0.03, 1.03)
    for place, (name, label) in enumerate(_SHARES):
        _both(axes, steps, watched, name, place, label)
    _legend(axes)


def _tiers(axes: Axes, watched: Sequence[Row]) -> None:
    """Shares of the answer's reward on the needs held out, the best at the bottom."""
    axes.set_title("held out: reward of the answer")
    shares = tier_shares([row["levels"] for row in watched])
    if not shares:
        return
    rest = [1 - sum(row["levels"].values()) for row in watched]
    shades = [colour(place) for place in range(len(shares))]
    axes.stackplot(
        [row["step"] for row in watched],
        *shares.values(),
        rest,
        labels=[*shares, "format wrong"],
        colors=[*shades, "#d0d0d0"],
        linewidth=0,
    )
    axes.set_ylim(0, 1)
    axes.legend(loc="lower left", ncols=2, frameon=True, framealpha=0.9, edgecolor="none")


def _hits(axes: Axes, steps: Sequence[Row], watched: Sequence[Row]) -> None:
    axes.set_title("median hits of an expression")
    _both(axes, steps, watched, "hits", 0, "hits")
    axes.set_yscale("symlog", linthresh=1)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylim(bottom=0)


def _lengths(axes: Axes, steps: Sequence[Row]) -> None:
    axes.set_title("length in characters")
    for place, (name, label) in enumerate(_LENGTHS):
        if any(row.get(name) for row in steps):  # policies without reasoning have no thought
            _line(axes, steps, name, place, label)
    axes.set_ylim(bottom=0)
    _legend(axes)


def _divergence(axes: Axes, steps: Sequence[Row]) -> None:
    axes.set_title("divergence from the start, per token")
    # exp(d) − d − 1 has a heavy tail: one token may outweigh all others of a step.
    _line(axes, steps, "kl", 0, "KL", middle=median)
    axes.set_yscale("symlog", linthresh=1)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))


def _both(
    axes: Axes, steps: Sequence[Row], watched: Sequence[Row], name: str, place: int, label: str
) -> None:
    _line(axes, steps, name, place, label)
    points = [(row["step"], row[name]) for row in watched if row[name] is not None]
    if points:
        axes.plot(
            *zip(*points, strict=True), "s-", color=colour(place), linewidth=0.8, markersize=4
        )


def _line(
    axes: Axes,
    steps: Sequence[Row],
    name: str,
    place: int,
    label: str,
    *,
    middle: Middle = fmean,
) -> None:
    """Every step as a dot, and the running mean, or median."""
    points = [(row["step"], row[name]) for row in steps if row.get(name) is not None]
    if not points:
        return
    places, values = zip(*points, strict=True)
    axes.plot(places, values, ".", color=colour(place), alpha=0.3, markersize=3)
    axes.plot(places, smooth(values, middle), color=colour(place), label=label)


def _legend(axes: Axes) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="best")


def smooth(values: Sequence[float], middle: Middle = fmean) -> list[float]:
    """Running middles over up to :data:`_WINDOW` values around each, fewer at the ends."""
    half = _WINDOW // 2
    return [middle(values[max(0, n - half) : n + half + 1]) for n in range(len(values))]
