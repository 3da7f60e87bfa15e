"""Which queries win and which lose against the baseline, every one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leafward.evaluate.experiments.figures.style import COLOURS, headline, new_figure
from leafward.evaluate.experiments.results import Versus

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from leafward.evaluate.statistics import Comparison

WIN, LOSS = COLOURS[0], COLOURS[1]


def per_query_deltas(versus: Versus, about: str) -> Figure:
    """A panel for each method: differences of all queries, from the best to the worst."""
    count = len(versus.comparisons)
    figure = new_figure(0.9 + 1.3 * count)
    panels = np.atleast_1d(figure.subplots(count, 1, sharex=True, sharey=True))
    headline(figure, f"Query by query against {versus.baseline}", about)
    most = max(abs(d) for deltas in versus.deltas.values() for d in deltas.values()) or 1.0
    for axes, comparison in zip(panels, versus.comparisons, strict=True):
        _panel(axes, comparison, sorted(versus.deltas[comparison.name].values(), reverse=True))
        axes.set_ylim(-1.08 * most, 1.08 * most)
    panels[-1].xaxis.get_major_locator().set_params(integer=True)
    panels[-1].set_xlabel("queries, from the largest gain to the largest loss")
    figure.supylabel(f"difference in {versus.measure}", fontsize=9)
    return figure


def _panel(axes: Axes, comparison: Comparison, deltas: list[float]) -> None:
    shades = [WIN if delta > 0 else LOSS for delta in deltas]
    axes.bar(range(1, len(deltas) + 1), deltas, width=0.9, color=shades, linewidth=0)
    axes.axhline(0, color="black", linewidth=0.8)
    low, high = comparison.interval.low, comparison.interval.high
    mean = f"{comparison.difference:+.3f} [{low:+.3f}, {high:+.3f}]".replace("-", "−")
    counts = f"{comparison.wins} wins, {comparison.ties} ties, {comparison.losses} losses"
    axes.set_title(f"{comparison.name}: {mean} · {counts}", fontsize=8.5)
