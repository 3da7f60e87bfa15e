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

    A node of true relevance r on slate i gets ``clip(r + b_i + ε_iv)`` with the slate's bias

        b_i = contrast · (1 - best_i) - company · mean_i + ε_i

    ``contrast``: a listwise judge stretches each slate towards a full score for its best
    candidate (``best_i``), so that a poor slate looks good. ``company``: strong company (the mean
    relevance of the slate) presses every score down. ε_i ~ N(0, slate²) is shared by the slate,
    ε_iv ~ N(0, node²) is the candidate's own.
    """

    contrast: float = 0.8
    slate: float = 0.25
    node: float = 0.15
    company: float = 0.0

    def score(self, relevance: Floats, rng: np.random.Generator) -> Floats:
        """Scores in [0, 1] for one slate, float64 ``[n]`` to ``[n]``."""
        stretched = self.contrast * (1 - relevance.max()) - self.company * relevance.mean()
        bias = stretched + rng.normal(0, self.slate)
        scores: Floats = np.clip(relevance + bias + rng.normal(0, self.node, len(relevance)), 0, 1)
        return scores


def node_relevance(
    tree: Tree,
    gold: Mapping[str, float],
    background: Floats | None = None,
    *,
    blur: float = 0.0,
) -> Floats:
    """True relevance by node id, float64 ``[nodes + leaves]``.

    ``gold`` gives judged documents in [0, 1], ``background`` (by leaf position) what the other
    leaves look like to a judge; they are 0 without it. A node is worth
    ``(1 - blur) · best + blur · mean`` of its leaves: a description of many documents does not
    show the one that matters as clearly as its text does.
    """
    leaves = np.zeros(len(tree.leaves)) if background is None else background.copy()
    for doc_id, relevance in gold.items():
        leaves[tree.position_of(doc_id)] = relevance
    inner = [
        (1 - blur) * leaves[node.lo : node.hi].max() + blur * leaves[node.lo : node.hi].mean()
        for node in tree.nodes
    ]
    return np.concatenate([inner, leaves])
