"""How every figure looks: colours that all eyes tell apart, and nothing that is no data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.errors import MissingExtra
from leafward.evaluate.summary import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette without its yellow, which white paper swallows."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
"""As many as have no factor in common with the colours: 63 methods look different."""
GREY = "#767676"
WIDTH = 7.2
"""Inches: a text column."""

_STYLE: dict[str, object] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that a figure is the same everywhere
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "svg.hashsalt": "leafward",  # the same figure is the same file
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw in our style inside.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra("matplotlib", "eval") from error
    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]
        yield


def new_figure(height: float) -> Figure:
    """An empty figure of a text column's width; belongs to no window and no global state."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout="constrained")


def headline(figure: Figure, what: str, about: str) -> None:
    """The title, over the whole width: what is shown, and on a line of its own of which data."""
    figure.suptitle(f"{what}\n{about}", x=0.012, ha="left", fontsize=9.5, linespacing=1.5)


def save(figure: Figure, svg: Path, png: Path) -> None:
    """Write both forms, all or nothing each."""
    for path, kind, metadata in ((svg, "svg", {"Date": None}), (png, "png", {})):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        figure.savefig(part, format=kind, dpi=160, metadata=metadata)
        part.replace(path)
        figure.set_layout_engine("none")  # laid out once is laid out; it takes as long as drawing


def colour(place: int) -> str:
    """The colour of the n-th method; the same in all figures of a report."""
    return COLOURS[place % len(COLOURS)]


def marker(place: int) -> str:
    """The marker of the n-th method, so that a print without colour can be read."""
    return MARKERS[place % len(MARKERS)]


def whiskers(estimates: Sequence[Estimate]) -> tuple[list[float], list[list[float]]]:
    """Means, and distances to both ends of their intervals, as errorbar takes them."""
    means = [estimate.mean for estimate in estimates]
    lows = [max(each.mean - each.interval.low, 0.0) for each in estimates]
    highs = [max(each.interval.high - each.mean, 0.0) for each in estimates]
    return means, [lows, highs]


def legend_below(figure: Figure, axes: Axes, *, columns: int = 5) -> None:
    """One legend below the whole figure, where it hides no data."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=columns)
