"""Everything that judgements have told about nodes: observations, latent scores, path relevance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from leafward.search.calibration import fit
from leafward.search.growing import Growing
from leafward.settings import SearchSettings
from leafward.types import Tree

Floats = npt.NDArray[np.float64]
ROOT_RELEVANCE = 1.0


class ScoreBook:
    """The score history of one search, refitted after every judgement.

    Nodes are kept in the order in which they were first entered, so a parent always stands before
    its children and path relevance is one vector operation per depth.
    """

    def __init__(self, tree: Tree, settings: SearchSettings) -> None:
        self._tree = tree
        self._settings = settings
        self._index: dict[int, int] = {}
        self._depths: dict[int, int] = {0: 0}
        self._parents = Growing(np.int64)  # rows; -1 is the root
        self._levels = Growing(np.int64)
        self._slates = Growing(np.int64)
        self._nodes = Growing(np.int64)
        self._scores = Growing(np.float64)
        self._slate_count = 0
        self.latent: Floats = np.zeros(0)
        self.relevance: Floats = np.zeros(0)

    def __contains__(self, node: int) -> bool:
        return node in self._index

    def theta(self, node: int) -> float:
        """Latent score θ of an entered node."""
        return float(self.latent[self._index[node]])

    def path_relevance(self, node: int) -> float:
        """p(v) of an entered node; the root has 1."""
        return ROOT_RELEVANCE if node == 0 else float(self.relevance[self._index[node]])

    def raw(self, node: int) -> tuple[float, ...]:
        """Every raw score of a node, in the order in which judgements arrived."""
        index = self._index[node]
        return tuple(self._scores.view[self._nodes.view == index].tolist())

    def enter(self, children: Iterable[int]) -> None:
        """Enter nodes that are about to be scored, or were left unscored for good.

        A node without observations gets the prior mean θ̄: unobserved is not zero.
        """
        new = [node for node in children if node not in self._index]
        for row, node in enumerate(new, start=len(self._index)):
            self._index[node] = row
            self._depths[node] = self._depths[self._tree.parent(node) or 0] + 1
        self._parents.extend([self._index.get(self._tree.parent(node) or 0, -1) for node in new])
        self._levels.extend([self._depths[node] for node in new])

    def observe(self, scores: Mapping[int, float]) -> None:
        """Add one slate's scores, by node id in [0, 1]; every node must have been entered."""
        if not scores:
            return
        self._slates.extend([self._slate_count] * len(scores))
        self._nodes.extend([self._index[node] for node in scores])
        self._scores.extend(list(scores.values()))
        self._slate_count += 1

    def refit(self) -> None:
        """Recompute θ and p for every node (tree-search §3.4, §3.5)."""
        self.latent = self._latent()
        self.relevance = self._relevance()

    def _latent(self) -> Floats:
        nodes, scores, total = self._nodes.view, self._scores.view, len(self._index)
        if not len(scores):
            return np.zeros(total)
        if self._settings.calibrate:
            return fit(
                self._slates.view,
                nodes,
                scores,
                lambda_bias=self._settings.lambda_bias,
                lambda_latent=self._settings.lambda_latent,
                node_count=total,
            ).latent
        # The naive estimate that calibration is measured against: the mean raw score.
        counts = np.bincount(nodes, minlength=total)
        means = np.bincount(nodes, weights=scores, minlength=total) / np.maximum(counts, 1)
        return np.where(counts > 0, means, means[counts > 0].mean())

    def _relevance(self) -> Floats:
        alpha = self._settings.alpha
        parents, levels = self._parents.view, self._levels.view
        relevance = np.append(np.empty(len(parents)), ROOT_RELEVANCE)  # row -1 is the root
        for level in range(1, int(levels.max(initial=0)) + 1):
            rows = np.flatnonzero(levels == level)
            above = relevance[parents[rows]]
            relevance[rows] = alpha * above + (1 - alpha) * self.latent[rows]
        return relevance[:-1]
