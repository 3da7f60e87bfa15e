from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leafward.types import Branch, Tree, depth_limit, number, tree_problems

names = st.integers(0, 5)


@st.composite
def branches(draw: st.DrawFn) -> Branch:
    """A random hierarchy with distinct leaves."""
    counter = iter(range(10_000))

    def grow(level: int) -> Branch:
        kids: list[Branch | str] = []
        for _ in range(draw(st.integers(1, 4))):
            deeper = level < 4 and draw(st.booleans())
            kids.append(grow(level + 1) if deeper else f"d{next(counter)}")
        return Branch(f"n{level}", "", tuple(kids))

    return grow(0)


@given(branches())
def test_numbering_is_sound(branch: Branch) -> None:
    tree = number(branch)
    assert tree_problems(tree) == []
    for position, doc_id in enumerate(tree.leaves):
        leaf = tree.leaf_id(position)
        assert tree.doc_id(leaf) == doc_id
        assert tree.position_of(doc_id) == position
        path = tree.path(leaf)
        assert path[0] == 0
        assert all(tree.interval(v)[0] <= position < tree.interval(v)[1] for v in path)


@given(branches(), st.integers(0, 2**32 - 1))
def test_live_prefix_counts_live_leaves(branch: Branch, seed: int) -> None:
    tree = number(branch)
    live = np.random.default_rng(seed).random(len(tree.leaves)) < 0.5
    prefix = tree.live_prefix(live)
    for node in tree.nodes:
        assert prefix[node.hi] - prefix[node.lo] == live[node.lo : node.hi].sum()


def test_broken_trees_are_named() -> None:
    good = number(Branch("r", "", (Branch("a", "", ("x", "y")), "z")))
    assert tree_problems(good, branching=4) == []
    twice = Tree(good.nodes, ("x", "x", "z"), good.leaf_parents)
    assert any("2 times" in problem for problem in tree_problems(twice))
    short = Tree(good.nodes, ("x", "y"), good.leaf_parents[:2])
    assert tree_problems(short)
    moved = Tree(good.nodes, good.leaves, (1, 0, 0))
    assert any("as its parent" in problem for problem in tree_problems(moved))
    wide = number(Branch("r", "", tuple("abcdef")))
    assert any("more than 4" in problem for problem in tree_problems(wide, branching=4))


def test_depth_limit() -> None:
    assert depth_limit(256, 16) == 5
    assert depth_limit(257, 16) == 6
    assert depth_limit(1, 16) == 4
