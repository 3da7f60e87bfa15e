"""Everything that judgements have told about nodes: observations, latent scores, path relevance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from leafward.search.calibration import Calibration
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
        self._levels: list[Growing[np.int64]] = []  # rows by depth below the root
        self._nodes = Growing(np.int64)
        self._scores = Growing(np.float64)
        self._calibration = Calibration(
            lambda_bias=settings.lambda_bias, lambda_latent=settings.lambda_latent
        )
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
        for node in children:
            if node in self._index:
                continue
            row, parent = len(self._index), self._tree.parent(node) or 0
            self._index[node] = row
            depth = self._depths[node] = self._depths[parent] + 1
            self._parents.append(self._index.get(parent, -1))
            if depth > len(self._levels):
                self._levels.append(Growing(np.int64))
            self._levels[depth - 1].append(row)

    def observe(self, scores: Mapping[int, float]) -> None:
        """Add one slate's scores, by node id in [0, 1]; every node must have been entered."""
        if not scores:
            return
        rows = np.array([self._index[node] for node in scores])
        values = np.array(list(scores.values()), dtype=np.float64)
        self._nodes.extend(rows)
        self._scores.extend(values)
        if self._settings.calibrate:
            self._calibration.add(rows, values, node_count=len(self._index))

    def refit(self) -> None:
        """Recompute θ and p for every node (tree-search §3.4, §3.5)."""
        self.latent = self._latent()
        self.relevance = self._relevance()

    def _latent(self) -> Floats:
        nodes, scores, total = self._nodes.view, self._scores.view, len(self._index)
        if not len(scores):
            return np.zeros(total)
        if self._settings.calibrate:
            return self._calibration.solve(total).latent
        # The naive estimate that calibration is measured against: the mean raw score.
        counts = np.bincount(nodes, minlength=total)
        means = np.bincount(nodes, weights=scores, minlength=total) / np.maximum(counts, 1)
        return np.where(counts > 0, means, means[counts > 0].mean())

    def _relevance(self) -> Floats:
        alpha, parents = self._settings.alpha, self._parents.view
        relevance = np.append(np.empty(len(parents)), ROOT_RELEVANCE)  # row -1 is the root
        for level in self._levels:  # top down: a parent is done before its children
            rows = level.view
            relevance[rows] = alpha * relevance[parents[rows]] + (1 - alpha) * self.latent[rows]
        return relevance[:-1]
