"""Which scored nodes go onto a slate to anchor its scale (LATTICE v2 §2.2, slate construction)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from leafward.search.scores import ScoreBook
from leafward.types import Tree


def slate_rng(seed: int, query: str, node: int) -> np.random.Generator:
    """A generator that depends on seed, query and node alone: the same search, the same prompt."""
    digest = hashlib.sha256(f"{seed}\0{node}\0{query}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def best_sibling(tree: Tree, book: ScoreBook, node: int) -> list[int]:
    """The best-scoring scored sibling of a node, as a list of at most one; never the node itself.

    "From an earlier slate" holds of every scored sibling: the parent was expanded before.
    """
    parent = tree.parent(node)
    if parent is None:
        return []
    siblings = [
        other
        for other in tree.children(parent)
        if other != node and other in book and not tree.is_leaf(other)
    ]
    return [max(siblings, key=lambda other: (book.theta(other), -other))] if siblings else []


def sample_leaves(
    book: ScoreBook,
    leaves: Sequence[int],
    count: int,
    *,
    temperature: float,
    rng: np.random.Generator,
) -> list[int]:
    """Draw leaves without replacement, with probability ∝ exp(θ/τ) (Gumbel top-k)."""
    if count == 0 or not leaves:
        return []
    latent = np.array([book.theta(leaf) for leaf in leaves])
    keys = latent / temperature + rng.gumbel(size=len(leaves))
    order = np.argsort(-keys, kind="stable")[:count]
    return [leaves[row] for row in order]
