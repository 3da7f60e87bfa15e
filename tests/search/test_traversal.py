from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.trees import grid_tree, trees

from leafward.search import Traversal
from leafward.settings import SearchSettings
from leafward.types import Judgement, Slate, Tree


def drive(
    traversal: Traversal, scores: dict[int, float], order: random.Random | None = None
) -> list[Slate]:
    """Judge every slate from a table, giving judgements back in a random order."""
    pending: list[Slate] = []
    seen: list[Slate] = []
    while not traversal.done:
        while (slate := traversal.next_slate()) is not None:
            pending.append(slate)
            seen.append(slate)
        slate = pending.pop(order.randrange(len(pending)) if order else 0)
        known = {c.node: scores[c.node] for c in slate.candidates if c.node in scores}
        if known:
            traversal.absorb(slate.id, Judgement(known))
        else:
            traversal.fail(slate.id)
    assert pending == []
    return seen


def table(tree: Tree, seed: int = 0) -> dict[int, float]:
    rng = np.random.default_rng(seed)
    return dict(enumerate(rng.random(len(tree.nodes) + len(tree.leaves)).tolist()))


@given(trees(), st.integers(0, 1000), st.sampled_from(["free", "lockstep"]), st.integers(1, 8))
def test_every_leaf_is_found_with_enough_budget(
    tree: Tree, seed: int, schedule: str, beam: int
) -> None:
    settings = SearchSettings(beam=beam, iterations=1000, schedule=schedule)
    traversal = Traversal(tree, "q", settings)
    drive(traversal, table(tree, seed), random.Random(seed))
    assert traversal.stop_reason == "exhausted"
    assert {tree.doc_id(leaf) for leaf in traversal.leaves()} == set(tree.leaves)
    assert not traversal.degraded


@given(trees(), st.integers(0, 1000), st.integers(1, 4), st.integers(1, 5))
def test_expansions_never_exceed_the_budget(
    tree: Tree, seed: int, beam: int, iterations: int
) -> None:
    for schedule in ("free", "lockstep"):
        settings = SearchSettings(beam=beam, iterations=iterations, schedule=schedule)
        traversal = Traversal(tree, "q", settings)
        assert len(drive(traversal, table(tree, seed), random.Random(seed))) <= beam * iterations


@given(trees(), st.integers(0, 1000))
def test_path_relevance_is_equation_4_for_every_scored_node(tree: Tree, seed: int) -> None:
    traversal = Traversal(tree, "q", SearchSettings(alpha=0.3))
    drive(traversal, table(tree, seed))
    book = traversal.book
    for node in range(1, len(tree.nodes) + len(tree.leaves)):
        if node in book:
            parent = tree.parent(node)
            assert parent is not None
            expected = 0.3 * book.path_relevance(parent) + 0.7 * book.theta(node)
            assert book.path_relevance(node) == pytest.approx(expected)


@given(trees(), st.integers(0, 1000), st.floats(0, 1))
def test_dead_leaves_and_dead_nodes_are_never_shown(tree: Tree, seed: int, share: float) -> None:
    live = np.random.default_rng(seed).random(len(tree.leaves)) < share
    traversal = Traversal(tree, "q", SearchSettings(iterations=1000), live=live)
    for slate in drive(traversal, table(tree, seed)):
        for candidate in slate.candidates:
            lo, hi = tree.interval(candidate.node)
            assert live[lo:hi].any()
    found = {tree.position(leaf) for leaf in traversal.leaves()}
    assert found == set(np.flatnonzero(live).tolist())


def test_slates_are_the_same_for_the_same_search_and_shuffled() -> None:
    tree = grid_tree(6, 3)
    first, second = (drive(Traversal(tree, "q", SearchSettings()), table(tree)) for _ in range(2))
    other = drive(Traversal(tree, "another", SearchSettings()), table(tree))
    assert first == second
    assert [c.node for c in first[0].candidates] != [c.node for c in other[0].candidates]


def test_references_follow_the_kind_of_the_children() -> None:
    tree = grid_tree(4, 4)
    settings = SearchSettings(references=5, iterations=40, beam=1)
    traversal = Traversal(tree, "q", settings)
    expanded_leaves = 0
    for slate in drive(traversal, table(tree)):
        anchors = [c.node for c in slate.candidates if c.reference]
        children = [c.node for c in slate.candidates if not c.reference]
        assert sorted(children) == sorted(tree.children(slate.expands))
        if tree.is_leaf(children[0]):
            assert len(anchors) == min(5, 4 * expanded_leaves)
            assert all(tree.is_leaf(anchor) for anchor in anchors)
            expanded_leaves += 1
        elif slate.expands != 0:
            (anchor,) = anchors
            assert tree.parent(anchor) == tree.parent(slate.expands)
            assert anchor != slate.expands
    assert expanded_leaves > 2


def test_missing_ids_are_asked_again_once_on_a_smaller_slate() -> None:
    tree = grid_tree(8, 1)
    traversal = Traversal(tree, "q", SearchSettings(iterations=5))
    slate = traversal.next_slate()
    assert slate is not None
    nodes = [c.node for c in slate.candidates]
    traversal.absorb(slate.id, Judgement(dict.fromkeys(nodes[2:], 0.5)))
    again = traversal.next_slate()
    assert again is not None
    assert {c.node for c in again.candidates if not c.reference} == set(nodes[:2])
    assert sum(c.reference for c in again.candidates) == 2
    traversal.absorb(again.id, Judgement({nodes[0]: 0.9, again.candidates[-1].node: 0.4}))
    assert traversal.done
    assert traversal.degraded  # nodes[1] stays unobserved
    assert nodes[1] not in traversal.leaves()
    assert traversal.leaves()[0] == nodes[0]


def test_unscored_inner_node_is_worth_the_prior_not_zero() -> None:
    tree = grid_tree(3, 2)
    traversal = Traversal(tree, "q", SearchSettings(beam=1))
    for known in ({1: 0.2, 2: 0.9}, {1: 0.2, 2: 0.9}):  # node 3 is left out twice
        slate = traversal.next_slate()
        assert slate is not None
        traversal.absorb(slate.id, Judgement(known))
    assert 0.2 < traversal.book.theta(3) < 0.9
    order = [s.expands for s in drive(traversal, table(tree))]
    assert order == [2, 3, 1]


def test_failed_node_gets_one_more_try() -> None:
    tree = grid_tree(3, 2)
    traversal = Traversal(tree, "q", SearchSettings(beam=1))
    for _ in range(2):
        slate = traversal.next_slate()
        assert slate is not None
        assert slate.expands == 0
        traversal.fail(slate.id)
    assert traversal.degraded
    drive(traversal, table(tree))
    assert len(traversal.leaves()) == 9  # the search goes on below an unjudged root


def test_lockstep_waits_for_the_whole_iteration_and_free_does_not() -> None:
    tree = grid_tree(4, 3)
    for schedule, handed in (("lockstep", 0), ("free", 1)):
        traversal = Traversal(tree, "q", SearchSettings(beam=2, schedule=schedule))
        scores = table(tree)
        root = traversal.next_slate()
        assert root is not None
        assert traversal.next_slate() is None
        traversal.absorb(root.id, Judgement({c.node: scores[c.node] for c in root.candidates}))
        pair = [traversal.next_slate(), traversal.next_slate()]
        assert pair[0] is not None
        assert pair[1] is not None
        assert traversal.next_slate() is None
        known = {c.node: scores[c.node] for c in pair[1].candidates}
        traversal.absorb(pair[1].id, Judgement(known))
        assert (traversal.next_slate() is not None) == bool(handed)


def test_lockstep_result_does_not_depend_on_the_order_of_arrival() -> None:
    tree = grid_tree(5, 3)
    results = []
    for seed in range(5):
        traversal = Traversal(tree, "q", SearchSettings(beam=4, schedule="lockstep"))
        drive(traversal, table(tree), random.Random(seed))
        results.append([(leaf, traversal.book.theta(leaf)) for leaf in traversal.leaves()])
    assert all(result == results[0] for result in results)


def test_adaptive_stop() -> None:
    tree = grid_tree(8, 3)
    scores = dict.fromkeys(range(len(tree.nodes) + len(tree.leaves)), 0.05)
    path = tree.path(tree.leaf_id(100))
    scores |= dict.fromkeys(tree.children(path[-2]), 0.9)  # eight good leaves fill the top eight
    scores |= dict.fromkeys(path, 1.0)
    patient = Traversal(tree, "q", SearchSettings(), k=8)
    eager = Traversal(tree, "q", SearchSettings(patience=3, margin=0.0), k=8)
    drive(patient, scores)
    drive(eager, scores)
    assert eager.stop_reason == "settled"
    assert len(eager.steps) < len(patient.steps)
    assert eager.leaves()[0] == patient.leaves()[0] == tree.leaf_id(100)


def test_withdrawn_slate_can_be_drawn_again() -> None:
    tree = grid_tree(3, 2)
    traversal = Traversal(tree, "q", SearchSettings())
    slate = traversal.next_slate()
    assert slate is not None
    traversal.withdraw(slate.id)
    assert not traversal.degraded
    again = traversal.next_slate()
    assert again is not None
    assert again.candidates == slate.candidates


def test_nothing_live_is_exhausted_at_once() -> None:
    traversal = Traversal(grid_tree(3, 2), "q", SearchSettings(), live=np.zeros(9, dtype=bool))
    assert traversal.next_slate() is None
    assert traversal.done
    assert traversal.stop_reason == "exhausted"
