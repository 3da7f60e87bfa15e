"""Vectors of a tree's nodes, from those of its leaves."""

from __future__ import annotations

import numpy as np

from leafward.protocols import Embedder, Vectors
from leafward.types import Tree


def leaf_order(tree: Tree, doc_ids: list[str], vectors: Vectors) -> Vectors:
    """Document vectors rearranged by leaf position, float32 ``[n, d]``."""
    rows = {doc_id: row for row, doc_id in enumerate(doc_ids)}
    return np.ascontiguousarray(vectors[[rows[doc_id] for doc_id in tree.leaves]])


def node_vectors(tree: Tree, leaves: Vectors, described: Vectors | None = None) -> Vectors:
    """One unit vector a node, float32 ``[nodes, d]``: the direction of its leaves' sum.

    ``described`` (embedded descriptions, by node) is added with equal weight where it is given: a
    model's description says what the group is about, the leaves say what is in it.
    """
    prefix = np.zeros((len(leaves) + 1, leaves.shape[1]))
    np.cumsum(leaves, axis=0, dtype=np.float64, out=prefix[1:])
    lows = [node.lo for node in tree.nodes]
    highs = [node.hi for node in tree.nodes]
    centroids = _unit(prefix[highs] - prefix[lows])
    if described is not None:
        centroids = _unit(centroids + described)
    return centroids.astype(np.float32)


def embed_descriptions(tree: Tree, embedder: Embedder) -> Vectors:
    """Embed every node's name and description, float32 ``[nodes, d]``."""
    texts = [f"{node.name}: {node.description}".strip(": ") or "root" for node in tree.nodes]
    return embedder.embed(texts, role="document")


def _unit(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Rows at unit length; a row that cancels out becomes the first axis."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    axis = np.eye(1, rows.shape[1])
    return np.where(norms > 1e-9, rows / np.maximum(norms, 1e-9), axis)
