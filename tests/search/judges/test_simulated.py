"""Embedding, oracle and replay judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest
from tests.search.trees import grid_tree

from leafward.errors import UnusableOutput
from leafward.protocols import Vectors
from leafward.search import (
    EmbeddingJudge,
    NoiseModel,
    NoisyOracleJudge,
    ReplayJudge,
    node_relevance,
)
from leafward.types import Candidate, Judgement, Query, Slate, Step, Trace

TREE = grid_tree(3, 2)
QUERY = Query("q", "text")


def slate(*nodes: int) -> Slate:
    return Slate(0, 0, tuple(Candidate(node) for node in nodes))


class Axis:
    """Embeds every query onto the first axis."""

    name = "axis"
    dimensions = 2

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str], *, role: Literal["query", "document"]) -> Vectors:
        self.calls += 1
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)


async def test_embedding_judge_is_the_cosine_cut_to_the_unit_interval() -> None:
    embedder = Axis()
    nodes = np.array([[0.6, 0.8], [-1, 0]], dtype=np.float32)
    leaves = np.array([[0.8, 0.6]], dtype=np.float32)
    judge = EmbeddingJudge(embedder, nodes, leaves)
    for _ in range(3):
        judgement = await judge.judge(QUERY, slate(0, 1, 2))
    assert judgement.scores == pytest.approx({0: 0.6, 1: 0.0, 2: 0.8})
    assert embedder.calls == 1


def test_node_relevance_is_that_of_the_best_leaf() -> None:
    background = np.full(9, 0.2)
    relevance = node_relevance(TREE, {"d4": 1.0}, background)
    assert relevance[0] == relevance[2] == relevance[TREE.leaf_id(4)] == 1.0
    assert relevance[1] == relevance[3] == relevance[TREE.leaf_id(0)] == 0.2


def test_blur_mixes_in_the_mean_of_the_leaves() -> None:
    relevance = node_relevance(TREE, {"d4": 1.0}, blur=0.5)
    assert relevance[2] == pytest.approx(0.5 + 0.5 / 3)
    assert relevance[0] == pytest.approx(0.5 + 0.5 / 9)
    assert relevance[TREE.leaf_id(4)] == 1.0


async def test_oracle_without_noise_tells_the_truth_and_with_noise_is_repeatable() -> None:
    relevance = node_relevance(TREE, {"d4": 1.0})
    exact = NoiseModel(contrast=0, slate=0, node=0)
    judge = NoisyOracleJudge(lambda query: relevance, exact)
    assert (await judge.judge(QUERY, slate(1, 2, 3))).scores == {1: 0.0, 2: 1.0, 3: 0.0}

    noisy = NoisyOracleJudge(lambda query: relevance, NoiseModel(), seed=1)
    other = NoisyOracleJudge(lambda query: relevance, NoiseModel(), seed=2)
    first = await noisy.judge(QUERY, slate(1, 2, 3))
    assert first == await noisy.judge(QUERY, slate(3, 1, 2))
    assert first != await other.judge(QUERY, slate(1, 2, 3))


def test_contrast_stretches_a_slate_towards_its_best() -> None:
    noise = NoiseModel(contrast=0.8, slate=0, node=0)
    rng = np.random.default_rng(0)
    poor = noise.score(np.array([0.3, 0.1]), rng)
    good = noise.score(np.array([0.3, 1.0]), rng)
    assert poor[0] == pytest.approx(0.3 + 0.8 * 0.7)
    assert good[0] == pytest.approx(0.3)


def test_strong_company_presses_scores_down() -> None:
    noise = NoiseModel(contrast=0, slate=0, node=0, company=0.5)
    rng = np.random.default_rng(0)
    assert noise.score(np.array([0.5, 0.1]), rng)[0] > noise.score(np.array([0.5, 0.9]), rng)[0]


async def test_replay_knows_only_its_slates() -> None:
    judgement = Judgement({1: 0.5})
    judge = ReplayJudge(Trace("text", (Step(slate(1, 2), judgement),), "exhausted"))
    assert await judge.judge(QUERY, slate(1, 2)) is judgement
    with pytest.raises(UnusableOutput, match="holds no judgement"):
        await judge.judge(QUERY, slate(2, 1))
