"""The figures of a report, each as SVG and PNG; matplotlib is imported when one is drawn."""

from leafward.evaluate.experiments.figures.drawing import Drawn, draw_figures

__all__ = ["Drawn", "draw_figures"]
