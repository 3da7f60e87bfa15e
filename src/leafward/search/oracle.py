"""Simulated relevance: what a judge would say of every node if it knew the qrels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leafward.types import Tree

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NoiseModel:
    """How a simulated judge errs; all in score units (0-1).

    A node of true relevance r on slate i gets ``clip(r - contrast · m + ε_i + ε_iv)``: ``m`` is
    the mean relevance of the *other* candidates on the slate (set dependence: the same node looks
    worse in strong company), ε_i ~ N(0, slate²) is shared by the slate, ε_iv ~ N(0, node²) not.
    ``lift`` is added to every score, so that contrast does not press them all to 0.
    """

    contrast: float = 0.8
    slate: float = 0.25
    node: float = 0.15
    lift: float = 0.2

    def score(self, relevance: Floats, rng: np.random.Generator) -> Floats:
        """Scores in [0, 1] for one slate, float64 ``[n]`` to ``[n]``."""
        count = len(relevance)
        others = (relevance.sum() - relevance) / max(count - 1, 1)
        noise = rng.normal(0, self.slate) + rng.normal(0, self.node, count)
        scores: Floats = np.clip(relevance - self.contrast * others + self.lift + noise, 0, 1)
        return scores


def node_relevance(
    tree: Tree, gold: Mapping[str, float], background: Floats | None = None
) -> Floats:
    """True relevance by node id, float64 ``[nodes + leaves]``: a node is as good as its best leaf.

    ``gold`` gives judged documents (1 = fully relevant), ``background`` (by leaf position, in
    [0, 1)) what the other leaves look like to a judge; unjudged leaves are 0 without it.
    """
    leaves = np.zeros(len(tree.leaves)) if background is None else background.copy()
    for doc_id, relevance in gold.items():
        position = tree.position_of(doc_id)
        leaves[position] = max(leaves[position], relevance)
    inner = [leaves[node.lo : node.hi].max() for node in tree.nodes]
    return np.concatenate([inner, leaves])
