"""Everything that judgements have told about nodes: observations, latent scores, path relevance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from leafward.search.calibration import fit
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
        self._by_depth: list[list[int]] = []
        self._parents: list[int] = []
        self._slates: list[int] = []
        self._nodes: list[int] = []
        self._scores: list[float] = []
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
        pairs = zip(self._nodes, self._scores, strict=True)
        return tuple(score for seen, score in pairs if seen == index)

    def enter(self, children: Iterable[int]) -> None:
        """Enter nodes that are about to be scored, or were left unscored for good.

        A node without observations gets the prior mean θ̄: unobserved is not zero.
        """
        for node in children:
            if node in self._index:
                continue
            parent = self._tree.parent(node)
            row = len(self._index)
            self._index[node] = row
            self._parents.append(-1 if parent in (None, 0) else self._index[parent or 0])
            depth = len(self._tree.path(node)) - 2
            while len(self._by_depth) <= depth:
                self._by_depth.append([])
            self._by_depth[depth].append(row)

    def observe(self, scores: Mapping[int, float]) -> None:
        """Add one slate's scores, by node id in [0, 1]; every node must have been entered."""
        if not scores:
            return
        for node, score in scores.items():
            self._slates.append(self._slate_count)
            self._nodes.append(self._index[node])
            self._scores.append(score)
        self._slate_count += 1

    def refit(self) -> None:
        """Recompute θ and p for every node (tree-search §3.4, §3.5)."""
        self.latent = self._latent()
        self.relevance = self._relevance()

    def _latent(self) -> Floats:
        total = len(self._index)
        if not self._scores:
            return np.zeros(total)
        nodes, scores = np.array(self._nodes), np.array(self._scores)
        seen, compact = np.unique(nodes, return_inverse=True)
        if self._settings.calibrate:
            fitted = fit(
                np.array(self._slates),
                compact,
                scores,
                lambda_bias=self._settings.lambda_bias,
                lambda_latent=self._settings.lambda_latent,
            )
            known, prior = fitted.latent, fitted.mean
        else:  # the naive estimate that calibration is measured against: the mean raw score
            known = np.bincount(compact, weights=scores) / np.bincount(compact)
            prior = float(known.mean())
        latent = np.full(total, prior)
        latent[seen] = known
        return latent

    def _relevance(self) -> Floats:
        alpha = self._settings.alpha
        parents = np.array(self._parents)
        relevance = np.append(np.empty(len(parents)), ROOT_RELEVANCE)  # row -1 is the root
        for rows in self._by_depth:
            above = relevance[parents[rows]]
            relevance[rows] = alpha * above + (1 - alpha) * self.latent[rows]
        return relevance[:-1]
