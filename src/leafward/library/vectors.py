"""Vectors of a tree's nodes, from those of its leaves."""

from __future__ import annotations

import numpy as np

from leafward.protocols import Vectors
from leafward.types import Tree


def leaf_order(tree: Tree, doc_ids: list[str], vectors: Vectors) -> Vectors:
    """Document vectors rearranged by leaf position, float32 ``[n, d]``."""
    rows = {doc_id: row for row, doc_id in enumerate(doc_ids)}
    return np.ascontiguousarray(vectors[[rows[doc_id] for doc_id in tree.leaves]])


def node_vectors(tree: Tree, leaves: Vectors) -> Vectors:
    """One unit vector a node, float32 ``[nodes, d]``: the direction of its leaves' sum.

    Centroids lead an embedding judge better than embedded descriptions do, or both together (on
    train queries of StrategyQA's facts: .68, .57 and .60 nDCG@10).
    """
    prefix = np.zeros((len(leaves) + 1, leaves.shape[1]))
    np.cumsum(leaves, axis=0, dtype=np.float64, out=prefix[1:])
    lows = [node.lo for node in tree.nodes]
    highs = [node.hi for node in tree.nodes]
    return _unit(prefix[highs] - prefix[lows]).astype(np.float32)


def _unit(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Rows at unit length; a row that cancels out becomes the first axis."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    axis = np.eye(1, rows.shape[1])
    return np.where(norms > 1e-9, rows / np.maximum(norms, 1e-9), axis)
