"""Calibration, before and after: do slates agree, and do relevant documents stand out?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from leafward.evaluate.experiments.calibrated import Calibrated
from leafward.evaluate.experiments.figures.style import (
    GREY,
    colour,
    headline,
    legend_below,
    new_figure,
    whiskers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def before_and_after(
    methods: Mapping[str, Calibrated], places: Mapping[str, int], about: str
) -> Figure | None:
    """Left: how far two slates disagree on one node. Right: relevant documents above others."""
    drawn = {label: each for label, each in methods.items() if each.before}
    if not drawn:
        return None
    figure = new_figure(3.8)
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
    headline(figure, "Scores before and after calibration", about)
    for label, each in drawn.items():
        _shares(left, each, colour(places[label]), label)
    left.set_xlabel("|difference| of one node's scores on two slates")
    left.set_ylabel("share of pairs, cumulative")
    left.set_xlim(left=0)
    left.set_ylim(0, 1.02)
    left.set_title("do slates agree?", fontsize=9)
    _chances(right, drawn, places)
    legend_below(figure, left, columns=2)
    return figure


def _shares(axes: Axes, each: Calibrated, shade: str, label: str) -> None:
    """Cumulative shares: dotted raw, solid less the slates' biases."""
    for gaps, line, name in ((each.before, ":", "raw"), (each.after, "-", "calibrated")):
        sizes = np.sort(np.array(gaps))
        shares = np.arange(1, len(sizes) + 1) / len(sizes)
        axes.step(
            np.append(0.0, sizes),
            np.append(0.0, shares),
            where="post",
            color=shade,
            linestyle=line,
            label=f"{label}, {name} ({len(sizes):,} pairs)",
        )


def _chances(axes: Axes, drawn: Mapping[str, Calibrated], places: Mapping[str, int]) -> None:
    for row, (label, each) in enumerate(drawn.items()):
        if each.auc_before is None or each.auc_after is None:
            continue
        shade = colour(places[label])
        for offset, estimate, fill in (
            (-0.12, each.auc_before, "white"),
            (0.12, each.auc_after, shade),
        ):
            means, ends = whiskers([estimate])
            axes.errorbar(
                means, [row + offset], xerr=ends, color=shade, marker="o", mfc=fill, capsize=3
            )
    axes.axvline(0.5, color=GREY, linewidth=0.9, linestyle="--")
    axes.set_yticks(
        range(len(drawn)), [f"{label}\n{each.queries} queries" for label, each in drawn.items()]
    )
    axes.set_ylim(len(drawn) - 0.4, -0.6)
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    axes.set_xlim(right=1.02)
    axes.set_xlabel("P(relevant scored above another)\nhollow: raw mean · filled: latent score")
    axes.set_title("do relevant documents stand out?", fontsize=9)
