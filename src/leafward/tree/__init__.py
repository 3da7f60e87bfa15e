"""Building semantic trees: summaries, top-down, bottom-up, hybrid and model-free (§2)."""

from leafward.tree.build import build_tree, choose_strategy
from leafward.tree.kmeans import BalancedKMeans
from leafward.tree.planning import Plan, StagePlan, plan
from leafward.tree.report import Build, BuildReport
from leafward.tree.spectral import SpectralClusterer

__all__ = [
    "BalancedKMeans",
    "Build",
    "BuildReport",
    "Plan",
    "SpectralClusterer",
    "StagePlan",
    "build_tree",
    "choose_strategy",
    "plan",
]
