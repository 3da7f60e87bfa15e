"""What calibration does to scores: two slates agree more, relevant documents stand out more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from leafward.search.calibration import fit
from leafward.search.traversal import Traversal
from leafward.types import Step

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """One search, before calibration (raw scores) and after it.

    ``gaps_before`` and ``gaps_after`` are |difference| of the scores that one node got on two
    slates, for every such pair; after: less the slates' biases. ``auc_before`` and ``auc_after``
    are the chance that a relevant scored leaf has a higher score than another scored leaf (ties
    half), by mean raw score and by latent score; None where there is no such pair.
    """

    gaps_before: tuple[float, ...]
    gaps_after: tuple[float, ...]
    auc_before: float | None
    auc_after: float | None


def agreement(traversal: Traversal, relevant: Collection[str]) -> Agreement:
    """Look at a finished search; ``relevant`` are document ids that its tree holds."""
    judged = [scores for step in traversal.steps if (scores := _scores(step))]
    observed = [
        (slate, node, score)
        for slate, scores in enumerate(judged)
        for node, score in scores.items()
    ]
    bias = _bias(traversal, observed)
    by_node: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for slate, node, score in observed:
        by_node[node].append((score, score - float(bias[slate])))
    pairs = [pair for scores in by_node.values() for pair in combinations(scores, 2)]
    leaves = traversal.leaves()
    gold = np.array([traversal.tree.doc_id(leaf) in relevant for leaf in leaves], dtype=np.bool_)
    raw = np.array([float(np.mean(traversal.book.raw(leaf))) for leaf in leaves])
    latent = np.array([traversal.book.theta(leaf) for leaf in leaves])
    return Agreement(
        tuple(abs(one[0] - other[0]) for one, other in pairs),
        tuple(abs(one[1] - other[1]) for one, other in pairs),
        auc(raw, gold),
        auc(latent, gold),
    )


def auc(scores: Floats, gold: npt.NDArray[np.bool_]) -> float | None:
    """P(score of a gold one > score of another) + ½ P(equal); None without both kinds."""
    if not gold.any() or gold.all():
        return None
    gaps = scores[gold][:, None] - scores[~gold][None, :]
    return float(np.mean(gaps > 0) + 0.5 * np.mean(gaps == 0))


def _scores(step: Step) -> dict[int, float]:
    """Scores of the nodes that stood on the slate; empty where its call was lost."""
    scores = step.judgement.scores if step.judgement else {}
    shown = [candidate.node for candidate in step.slate.candidates]
    return {node: scores[node] for node in shown if node in scores}


def _bias(traversal: Traversal, observed: list[tuple[int, int, float]]) -> Floats:
    """Bias of every slate under the ridges of the search (:mod:`leafward.search.calibration`)."""
    if not observed:
        return np.zeros(0)
    rows = {node: row for row, node in enumerate(dict.fromkeys(node for _, node, _ in observed))}
    found = fit(
        np.array([slate for slate, _, _ in observed]),
        np.array([rows[node] for _, node, _ in observed]),
        np.array([score for _, _, score in observed]),
        lambda_bias=traversal.settings.lambda_bias,
        lambda_latent=traversal.settings.lambda_latent,
    )
    return found.bias
