"""Replaying a trace, and what it tells of the documents that were not found."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.trees import grid_tree, trees

from leafward.errors import BudgetExceeded, ModelUnavailable, SettingsError
from leafward.search import search_one
from leafward.search.fates import GoldPath
from leafward.search.lost import gold_paths
from leafward.search.replaying import Replay
from leafward.settings import SearchSettings
from leafward.types import Judgement, Query, SearchResult, Slate, Tree

QUERY = Query("q", "what is it?")
GRID = grid_tree(3, 3)  # 13 nodes, 27 leaves; d0 lies below 0.0 and 0.0.0


class Table:
    """A judge with a fixed opinion of every node, which may fail, run dry, or leave nodes out."""

    def __init__(
        self,
        scores: Mapping[int, float],
        *,
        fails: Iterable[int] = (),
        silent: Iterable[int] = (),
        calls: int = 1000,
        jitter: random.Random | None = None,
    ) -> None:
        self.scores, self.fails, self.silent = scores, set(fails), set(silent)
        self.calls, self.jitter = calls, jitter

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        if self.calls <= 0:
            raise BudgetExceeded("enough", limit="calls")
        self.calls -= 1
        if self.jitter is not None:
            await asyncio.sleep(self.jitter.random() / 1000)
        if slate.expands in self.fails:
            raise ModelUnavailable("down")
        shown = [candidate.node for candidate in slate.candidates]
        told = {node: self.scores.get(node, 0.1) for node in shown if node not in self.silent}
        return Judgement(told, reasons={node: f"about {node}" for node in told})


def searched(judge: Table, settings: SearchSettings, tree: Tree = GRID, k: int = 3) -> SearchResult:
    return asyncio.run(search_one(tree, QUERY, judge, settings, k=k))


def diagnosed(judge: Table, settings: SearchSettings, doc: str = "d0", k: int = 3) -> GoldPath:
    found = searched(judge, settings, k=k)
    assert found.trace is not None
    return gold_paths(Replay(GRID, found.trace, settings, k=k).run(), [doc])[0]


def node(name: str) -> int:
    return next(each.id for each in GRID.nodes if each.name == name)


def leaf(doc_id: str) -> int:
    return GRID.leaf_id(GRID.position_of(doc_id))


@given(trees(), st.integers(0, 10_000), st.sampled_from(["free", "lockstep"]), st.integers(1, 4))
def test_a_replay_ends_where_the_search_ended(
    tree: Tree, seed: int, schedule: str, beam: int
) -> None:
    """Also where calls failed for good, candidates were left out, and the budget ran dry."""
    rng = random.Random(seed)
    ids = range(1, len(tree.nodes) + len(tree.leaves))
    judge = Table(
        {each: rng.random() for each in ids},
        fails=[each for each in range(len(tree.nodes)) if rng.random() < 0.1],
        silent=[each for each in ids if rng.random() < 0.1],
        calls=rng.choice([3, 1000]),
        jitter=rng,
    )
    settings = SearchSettings.model_validate(
        {"beam": beam, "iterations": rng.choice([2, 50]), "schedule": schedule}
    )
    found = searched(judge, settings, tree, k=5)
    assert found.trace is not None
    replay = Replay(tree, found.trace, settings, k=5).run()
    replayed = [
        (tree.doc_id(leaf), replay.traversal.book.path_relevance(leaf))
        for leaf in replay.traversal.leaves()[:5]
    ]
    assert replayed == [(hit.doc_id, hit.score) for hit in found]
    assert replay.traversal.degraded == found.degraded
    assert len(replay.frontiers) == len(found.trace.steps)


@given(trees(), st.integers(0, 10_000), st.integers(1, 12))
def test_every_document_has_a_fate_that_the_search_bears_out(
    tree: Tree, seed: int, budget: int
) -> None:
    rng = random.Random(seed)
    ids = range(1, len(tree.nodes) + len(tree.leaves))
    judge = Table(
        {each: rng.random() for each in ids}, silent=[each for each in ids if rng.random() < 0.1]
    )
    settings = SearchSettings(beam=1, iterations=budget)
    found = searched(judge, settings, tree)
    assert found.trace is not None
    replay = Replay(tree, found.trace, settings, k=3).run()
    top = [hit.doc_id for hit in found]
    ranked = [tree.doc_id(leaf) for leaf in replay.traversal.leaves()]
    for path in gold_paths(replay, tree.leaves):
        assert (path.fate == "found") == (path.doc_id in top)
        assert path.rank == (ranked.index(path.doc_id) + 1 if path.doc_id in ranked else None)
        assert [step.node for step in path.steps][-1] == tree.leaf_id(tree.position_of(path.doc_id))
        if path.fate == "outranked":
            assert [tree.doc_id(each.node) for each in path.rivals] == ranked[: path.rank][:-1][:10]
        if path.fate == "passed over":
            assert path.lost_at in replay.traversal.frontier()
            # Best first: whatever was expanded while it waited was worth at least as much.
            assert all(each.value >= each.own for each in path.rivals)


def test_a_document_that_was_found() -> None:
    scores = {node("root.0"): 0.9, node("root.0.0"): 0.9, leaf("d0"): 0.95}
    path = diagnosed(Table(scores), SearchSettings(beam=1, iterations=20))
    assert (path.fate, path.rank, path.lost_at, path.rivals) == ("found", 1, None, ())
    assert [step.depth for step in path.steps] == [1, 2, 3]
    assert [step.judgement for step in path.steps] == [0, 1, 2]
    assert [step.expanded for step in path.steps] == [1, 2, None]
    assert [(step.place, step.of) for step in path.steps] == [(1, 3)] * 3
    assert path.steps[2].reason == f"about {leaf('d0')}"
    assert path.steps[2].score == 0.95 and path.steps[2].among == 27


def test_a_node_that_waited_until_the_end() -> None:
    """0.0 gets less than its siblings, and four expansions are not enough to come back to it."""
    scores = {node("root.0"): 0.3, node("root.1"): 0.9, node("root.2"): 0.5}
    path = diagnosed(Table(scores), SearchSettings(beam=1, iterations=2))
    first = path.steps[0]
    assert (path.fate, path.rank, path.lost_at, path.depth) == (
        "passed over", None, node("root.0"), 1,
    )  # fmt: skip
    assert [each.node for each in path.rivals] == [node("root.1")]
    assert path.rivals[0].value > path.rivals[0].own
    assert [each.node for each in first.better] == [node("root.1"), node("root.2")]
    assert (first.better[0].value, first.better[0].own) == (0.9, 0.3)
    assert (first.place, first.of, first.rank, first.among) == (3, 3, 3, 3)
    assert path.steps[1].score is None and path.steps[1].relevance is None


def test_a_leaf_that_others_outrank() -> None:
    scores = {leaf("d0"): 0.1, leaf("d1"): 0.9, leaf("d2"): 0.8}
    settings = SearchSettings(beam=1, iterations=20, calibrate=False)
    path = diagnosed(Table(scores), settings, k=2)
    assert path.fate == "outranked" and path.lost_at == leaf("d0") and path.depth == 3
    assert [each.node for each in path.rivals][:2] == [leaf("d1"), leaf("d2")]
    assert path.rank == path.rival_count + 1
    assert len(path.rivals) <= 10


def test_a_leaf_that_the_judge_leaves_out_twice() -> None:
    path = diagnosed(Table({}, silent=[leaf("d0")]), SearchSettings())
    assert (path.fate, path.lost_at, path.rank) == ("unscored", leaf("d0"), None)


def test_a_leaf_whose_call_fails_twice() -> None:
    path = diagnosed(Table({}, fails=[node("root.0.0")]), SearchSettings())
    assert (path.fate, path.lost_at) == ("failed", leaf("d0"))


def test_a_search_that_ends_before_it_begins() -> None:
    path = diagnosed(Table({}, calls=0), SearchSettings())
    assert (path.fate, path.lost_at, path.depth) == ("unfinished", 0, 0)


def test_a_document_that_may_not_be_shown() -> None:
    live = np.array([doc != "d0" for doc in GRID.leaves])
    settings = SearchSettings()
    judge = Table({leaf("d1"): 0.9, node("root.0"): 0.9})
    found = asyncio.run(search_one(GRID, QUERY, judge, settings, live=live))
    assert found.trace is not None
    replay = Replay(GRID, found.trace, settings, live=live).run()
    assert [path.fate for path in gold_paths(replay, ["d0", "d1"])] == ["hidden", "found"]


def test_a_trace_of_other_settings_is_refused() -> None:
    found = searched(Table({}), SearchSettings(seed=1))
    assert found.trace is not None
    with pytest.raises(SettingsError, match="another search"):
        Replay(GRID, found.trace, SearchSettings(seed=2)).run()
    with pytest.raises(SettingsError, match="another search"):
        Replay(GRID, found.trace, SearchSettings(seed=1, iterations=2)).run()
    with pytest.raises(SettingsError, match="another search"):
        Replay(grid_tree(2, 4), found.trace, SearchSettings(seed=1)).run()
