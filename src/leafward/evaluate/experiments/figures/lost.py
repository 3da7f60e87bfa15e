"""Where relevant documents were lost: each method's documents as one bar, cut by their fates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from leafward.evaluate.experiments.figures.style import GREY, headline, new_figure
from leafward.evaluate.experiments.losses import Losses
from leafward.evaluate.experiments.traces import FOUND_WITHIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOUND, OUTRANKED = "#0072B2", "#9ecae1"
LEVELS = ("#7f2704", "#d94801", "#fd8d3c", "#fdbe85", "#feedde")
"""Depth 1 is darkest: what is lost there was lost first, and with the most around it."""
_NARROW = 0.045

Part = tuple[str, int, str]


def where_lost(losses: Mapping[str, Losses], about: str) -> Figure | None:
    """Shares of relevant documents, by method; None where nothing can be replayed."""
    drawn = {label: each for label, each in losses.items() if each.documents}
    if not drawn:
        return None
    figure = new_figure(1.8 + 0.5 * len(drawn))
    axes = figure.subplots()
    deepest = max(len(each.levels) for each in drawn.values())
    bars = [parts(each, deepest) for each in drawn.values()]
    shown = {name for bar in bars for name, count, _ in bar if count}
    for row, bar in enumerate(bars):
        _bar(axes, row, [part for part in bar if part[0] in shown], named=row == 0)
    names = [f"{label}\n{each.documents:,} documents" for label, each in drawn.items()]
    axes.set_yticks(range(len(drawn)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    axes.tick_params(left=False)
    axes.xaxis.set_major_formatter(lambda share, _place: f"{share:.0%}")
    axes.set_xlabel("share of relevant documents")
    headline(figure, "Where relevant documents were lost", about)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower left", ncols=3)
    return figure


def parts(losses: Losses, deepest: int) -> list[Part]:
    """What a bar is made of: name, documents, colour; from found to lost at the very top."""
    fates = losses.fates
    lost = (*losses.passed_over, *[0] * (deepest - len(losses.levels)))
    other = losses.documents - sum(fates.get(f, 0) for f in ("found", "outranked", "passed over"))
    levels = [
        (f"passed over at depth {depth}", count, LEVELS[min(depth, len(LEVELS)) - 1])
        for depth, count in reversed(list(enumerate(lost, start=1)))
    ]
    root = fates.get("passed over", 0) - sum(lost)
    return [
        (f"found (first {FOUND_WITHIN})", fates.get("found", 0), FOUND),
        (f"judged, not among the first {FOUND_WITHIN}", fates.get("outranked", 0), OUTRANKED),
        *levels,
        ("judge failed or ran out", other + root, GREY),
    ]


def _bar(axes: Axes, row: int, bar: Sequence[Part], *, named: bool) -> None:
    start, documents = 0.0, sum(count for _, count, _ in bar)
    for name, count, shade in bar:
        share = count / documents
        axes.barh(
            row,
            share,
            left=start,
            height=0.62,
            color=shade,
            edgecolor="white",
            linewidth=0.8,
            label=name if named else None,
        )
        if share >= _NARROW:
            dark = shade in (FOUND, GREY, *LEVELS[:2])
            axes.text(
                start + share / 2,
                row,
                f"{share:.0%}",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if dark else "black",
            )
        start += share
