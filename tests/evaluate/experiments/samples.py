"""A small experiment: a tree, a collection, and methods that need no model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import numpy as np
from tests.search.trees import grid_tree

from leafward.evaluate import Measures
from leafward.evaluate.experiments.facts import Facts
from leafward.evaluate.experiments.results import ExperimentResult, Run, SearchView, collected
from leafward.evaluate.experiments.running import Ready
from leafward.evaluate.experiments.spec import MethodSpec
from leafward.search import search_one
from leafward.settings import SearchSettings
from leafward.types import (
    Collection,
    Hit,
    Judgement,
    Outcome,
    Query,
    Ranking,
    Slate,
    Usage,
)

TREE = grid_tree(3, 3)  # 13 nodes over 27 leaves
SETTINGS = SearchSettings(beam=1, iterations=8)
MEASURES = Measures(["nDCG@10", "R@100"])
COST = Usage(calls=1, prompt_tokens=90, completion_tokens=10, money=0.01)


def collection(queries: int = 6) -> Collection:
    """Query n asks for documents d(4n) and d(4n+1), and may not see d26."""
    asked = tuple(
        Query(f"q{n}", f"where is d{4 * n} | *really*?", excluded_ids=frozenset({"d26"}))
        for n in range(queries)
    )
    qrels = {f"q{n}": {f"d{4 * n}": 1, f"d{4 * n + 1}": 1, "d26": 1} for n in range(queries)}
    return Collection("things", "test", (), asked, qrels)


class Guess:
    """A judge that likes what leads to the first relevant document, with noise; each call costs."""

    def __init__(self, noise: float = 0.3, seed: int = 0) -> None:
        self.noise, self.seed = noise, seed

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        gold = TREE.position_of(f"d{4 * int(query.id[1:])}")
        rng = np.random.default_rng([self.seed, int(query.id[1:]), slate.id])
        shift = rng.normal(0, self.noise)
        scores = {}
        for candidate in slate.candidates:
            lo, hi = TREE.interval(candidate.node)
            score = 0.7 * (lo <= gold < hi) + shift + rng.normal(0, self.noise / 2)
            scores[candidate.node] = float(np.clip(score, 0, 1))
        return Judgement(scores, usage=COST)


class TreeRetriever:
    """Tree search with the guessing judge."""

    def __init__(self, seed: int = 0, settings: SearchSettings = SETTINGS) -> None:
        self.settings, self.judge = settings, Guess(seed=seed)

    async def retrieve(self, query: Query, *, k: int) -> Ranking:
        live = np.array([doc not in query.excluded_ids for doc in TREE.leaves])
        found = await search_one(TREE, query, self.judge, self.settings, live=live, k=k)
        return Ranking(
            tuple(Hit(hit.doc_id, hit.score) for hit in found),
            usage=found.usage,
            judged=12,
            trace=found.trace,
        )


class Fixed:
    """Ranks all documents alike for every query; ``before`` is called first."""

    def __init__(self, before: Callable[[Query], None] = lambda query: None) -> None:
        self.before = before

    async def retrieve(self, query: Query, *, k: int) -> Ranking:
        self.before(query)
        return Ranking(tuple(Hit(f"d{n}", 1.0 - n / 100) for n in range(min(k, 26))))


class Opener:
    """Opens the sample's two methods, and counts."""

    def __init__(self, before: Callable[[Query], None] = lambda query: None) -> None:
        self.before = before
        self.opened: list[tuple[str, int]] = []

    def seeded(self, method: MethodSpec) -> bool:
        return method.method.startswith("tree")

    @asynccontextmanager
    async def open(self, method: MethodSpec, seed: int) -> AsyncIterator[Ready]:
        self.opened.append((method.method, seed))
        if method.method.startswith("tree"):
            view = SearchView(TREE, SETTINGS, 100)
            yield Ready(TreeRetriever(seed), f"tree {seed}", view)
        else:
            yield Ready(Fixed(self.before), "fixed")


def result(queries: int = 6, seeds: int = 2, *, baseline: str | None = "bm25") -> ExperimentResult:
    """Results of both methods, by searching."""
    asked = collection(queries)
    runs = [Run("bm25", "bm25", 0, outcomes(Fixed(), asked))]
    for seed in range(seeds):
        view = SearchView(TREE, SETTINGS, 100)
        runs.append(Run("tree", "tree", seed, outcomes(TreeRetriever(seed), asked), view))
    return collected(runs, asked, MEASURES, baseline=baseline)


def outcomes(retriever: TreeRetriever | Fixed, asked: Collection) -> tuple[Outcome, ...]:
    async def all_of_them() -> tuple[Outcome, ...]:
        found = [await retriever.retrieve(query, k=100) for query in asked.queries]
        pairs = zip(asked.queries, found, strict=True)
        return tuple(Outcome(query.id, ranking, 0.5) for query, ranking in pairs)

    return asyncio.run(all_of_them())


def facts(name: str = "sample", absent: int = 0) -> Facts:
    return Facts(
        name=name,
        documents=27,
        nodes=13,
        depth=3,
        model="openai:scripted",
        embedder="lexical",
        strategy="model-free",
        absent=absent,
        k=100,
        limit=None,
        concurrency=8,
        texts={query.id: query.text for query in collection().queries},
        settings={"methods": {"bm25": "bm25"}},
        versions={"leafward": "0"},
    )
