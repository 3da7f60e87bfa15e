from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.search.trees import trees

from leafward.library.vectors import leaf_order, node_vectors


@given(trees(), st.integers(0, 1000))
def test_node_vectors_are_unit_centroids(tree, seed):  # type: ignore[no-untyped-def]
    vectors = np.random.default_rng(seed).normal(size=(len(tree.leaves), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    nodes = node_vectors(tree, vectors)
    assert nodes.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(nodes, axis=1), 1, atol=1e-5)
    for node in tree.nodes:
        centre = vectors[node.lo : node.hi].sum(axis=0)
        assert nodes[node.id] @ centre >= np.linalg.norm(centre) - 1e-4


def test_leaf_order_follows_the_tree() -> None:
    from tests.search.trees import grid_tree

    tree = grid_tree(2, 2)
    ids = list(reversed(tree.leaves))
    vectors = np.arange(8, dtype=np.float32).reshape(4, 2)
    np.testing.assert_array_equal(leaf_order(tree, ids, vectors), vectors[::-1])


def test_cancelled_leaves_still_give_a_unit_vector() -> None:
    from tests.search.trees import grid_tree

    vectors = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], dtype=np.float32)
    nodes = node_vectors(grid_tree(2, 2), vectors)
    np.testing.assert_allclose(np.linalg.norm(nodes, axis=1), 1)
