"""Ablations of the search algorithm on simulated judgements (noisy oracle).

    python -m benchmarks.ablation [--queries 100] [--seeds 5] [--data scifact ...]

The judge is simulated from the qrels: judged documents have relevance 0.9, every other document
what its MiniLM cosine to the query suggests (at most 0.6), a node half that of its best leaf and
half the mean of its leaves; scores then get set-dependent bias and noise (see NoiseModel in
leafward.search). So this measures the algorithm and
says nothing of any language model. All rows have the same budget of B·N = 40 slates, in lock-step
as in the paper; the first iteration has the root alone, so B = 2 and N = 20 makes 39. The last row
reranks a BM25 shortlist with the same judge and as many calls as the full algorithm has. Intervals
are 95 % bootstrap intervals over queries of the mean over seeds; differences to the full algorithm
are paired by query.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.data import Collection, load, model_free_tree
from benchmarks.machine import save
from leafward.engines import Bm25Engine
from leafward.search import NoiseModel, NoisyOracleJudge, node_relevance, search_one
from leafward.search.rerank import reach
from leafward.search.rerank_driver import rerank
from leafward.settings import SearchSettings
from leafward.types import Query, Tree

Floats = npt.NDArray[np.float64]

NOISE = {
    # Strong set dependence: each slate is stretched towards its best candidate, and shifted.
    "contrast 0.8, slate 0.25, node 0.15": NoiseModel(contrast=0.8, slate=0.25, node=0.15),
    # Set dependence of the other sort: strong company presses scores down.
    "company 0.8, slate 0.25, node 0.15": NoiseModel(0.0, 0.25, 0.15, company=0.8),
    # No set dependence at all: there is nothing to calibrate.
    "node 0.25 only": NoiseModel(contrast=0.0, slate=0.0, node=0.25),
}
BUDGET = 40
FULL = {"beam": 2, "iterations": 20, "schedule": "lockstep"}
ROWS: dict[str, dict[str, object]] = {
    "full": {},
    "no calibration": {"calibrate": False},
    "no path relevance (alpha 0)": {"alpha": 0.0},
    "alpha 0.75": {"alpha": 0.75},
    "references 0": {"references": 0},
    "references 1": {"references": 1},
    "references 3": {"references": 3},
    "references 5": {"references": 5},
    "references 10": {"references": 10},  # the full algorithm, so that the series is complete
    "B 1, N 40": {"beam": 1, "iterations": 40},
    "B 2, N 20": {"beam": 2, "iterations": 20},  # likewise
    "B 4, N 10": {"beam": 4, "iterations": 10},
    "B 8, N 5": {"beam": 8, "iterations": 5},
}
WINDOW, CARRY = 20, 10
RERANK_CALLS = 39
RERANK = f"rerank(of=bm25), {RERANK_CALLS} calls"
GOLD = 0.9
HARD_NEGATIVE = 0.6
BLUR = 0.5
DISTRACTION = 2.0  # how steeply background relevance falls with cosine


def background(collection: Collection, row: int) -> Floats:
    """What unjudged documents look like to a judge, by document, in [0, HARD_NEGATIVE]."""
    cosine = collection.vectors @ collection.query_vectors[row]
    relative = np.clip(cosine, 0, None) / max(float(cosine.max()), 1e-9)
    shaped: Floats = HARD_NEGATIVE * relative.astype(np.float64) ** DISTRACTION
    return shaped


@lru_cache(maxsize=2)
def prepared(name: str, split: str, limit: int) -> tuple[Collection, Tree]:
    collection = load(name, split, limit=limit)
    return collection, model_free_tree(collection)


def simulated(collection: Collection, tree: Tree, row: int) -> tuple[dict[str, float], Floats]:
    """The relevant documents of a query, and the relevance of every node to a judge."""
    order = {document.id: place for place, document in enumerate(collection.documents)}
    places = [order[doc_id] for doc_id in tree.leaves]
    judged = collection.qrels[collection.queries[row].id]
    gold = {doc_id: GOLD for doc_id, value in judged.items() if value > 0}
    leaves = background(collection, row)[places]
    return gold, node_relevance(tree, gold, leaves, blur=BLUR)


def one_query(name: str, split: str, limit: int, row: int, seeds: int) -> dict[str, list[float]]:
    """nDCG@10 of every noise model and ablation row for one query, by seed."""
    collection, tree = prepared(name, split, limit)
    query = collection.queries[row]
    gold, relevance = simulated(collection, tree, row)
    live = np.array([doc_id not in query.excluded_ids for doc_id in tree.leaves])
    shortlist = bm25_shortlist(name, split, limit, row)
    result: dict[str, list[float]] = {}
    for noise_name, noise in NOISE.items():

        @cache  # some rows are the full algorithm under another name
        def searched(settings: SearchSettings, noise: NoiseModel = noise) -> float:
            judge = NoisyOracleJudge(lambda _: relevance, noise, seed=settings.seed)
            found = asyncio.run(search_one(tree, query, judge, settings, live=live))
            return ndcg([hit.doc_id for hit in found], gold)

        for row_name, change in ROWS.items():
            result[f"{noise_name}|{row_name}"] = [
                searched(SearchSettings.model_validate({**FULL, "seed": seed, **change}))
                for seed in range(seeds)
            ]
        result[f"{noise_name}|{RERANK}"] = [
            asyncio.run(reranked_ndcg(tree, query, shortlist, relevance, noise, gold, seed))
            for seed in range(seeds)
        ]
    return result


@lru_cache(maxsize=2)
def bm25(name: str, split: str, limit: int) -> tuple[Bm25Engine, tempfile.TemporaryDirectory[str]]:
    """A lexical index of a collection; it lasts as long as the folder beside it."""
    collection, _ = prepared(name, split, limit)
    folder = tempfile.TemporaryDirectory()
    place = Path(folder.name) / "lexical"
    Bm25Engine.build(place, collection.documents)
    return Bm25Engine.open(place), folder


def bm25_shortlist(name: str, split: str, limit: int, row: int) -> list[str]:
    """As many hits as the windows of the rerank row can reach; excluded documents are not shown."""
    collection, _ = prepared(name, split, limit)
    query = collection.queries[row]
    top = reach(RERANK_CALLS, window=WINDOW, carry=CARRY)
    engine, _ = bm25(name, split, limit)
    ranking = engine.rank(query.text, k=top, live=lambda doc_id: doc_id not in query.excluded_ids)
    return [hit.doc_id for hit in ranking.hits]


async def reranked_ndcg(
    tree: Tree,
    query: Query,
    shortlist: list[str],
    relevance: Floats,
    noise: NoiseModel,
    gold: Mapping[str, float],
    seed: int,
) -> float:
    """nDCG@10 of sliding windows over a shortlist, judged by the same noisy oracle."""
    judge = NoisyOracleJudge(lambda _: relevance, noise, seed=seed)
    nodes = [tree.leaf_id(tree.position_of(doc_id)) for doc_id in shortlist]
    found = await rerank(nodes, query, judge, window=WINDOW, carry=CARRY, top=len(nodes))
    return ndcg([tree.doc_id(node) for node in found.order], gold)


def ndcg(ranked: list[str], gold: Mapping[str, float], k: int = 10) -> float:
    """Binary nDCG@k; checked against ir-measures in the tests."""
    gains = [1 / np.log2(rank + 2) for rank, doc in enumerate(ranked[:k]) if doc in gold]
    ideal = sum(1 / np.log2(rank + 2) for rank in range(min(k, len(gold))))
    return float(sum(gains) / ideal) if ideal else 0.0


def interval(values: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """95 % bootstrap interval of a mean over queries."""
    draws = rng.integers(0, len(values), (2000, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Row:
    """Mean nDCG@10 with its interval, and the paired difference to the full algorithm."""

    ndcg: float
    interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]


def summarise(scores: Mapping[str, Floats]) -> dict[str, Row]:
    """A row for each ``noise|change``."""
    rng = np.random.default_rng(0)
    table: dict[str, Row] = {}
    for key, values in scores.items():
        gain = values - scores[key.split("|")[0] + "|full"]
        table[key] = Row(
            float(values.mean()), interval(values, rng), float(gain.mean()), interval(gain, rng)
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--split", default="test")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--data", nargs="+", default=["scifact", "bright_theoremqa_questions_mini"])
    args = parser.parse_args()
    result: dict[str, object] = {"simulated": True, "budget": BUDGET, "seeds": args.seeds}
    for name in args.data:
        collection, tree = prepared(name, args.split, args.queries)
        count = len(collection.queries)
        with ProcessPoolExecutor(args.processes) as pool:
            jobs = [
                pool.submit(one_query, name, args.split, args.queries, row, args.seeds)
                for row in range(count)
            ]
            rows = [job.result() for job in jobs]
        scores = {key: np.array([np.mean(row[key]) for row in rows]) for key in rows[0]}
        table = summarise(scores)
        result[name] = {
            "queries": count,
            "documents": len(tree.leaves),
            "depth": tree.depth,
            "rows": {key: asdict(row) for key, row in table.items()},
        }
        report(name, count, table)
    print(save("ablation", result))


def report(name: str, queries: int, table: Mapping[str, Row]) -> None:
    print(f"\n{name}, {queries} queries, nDCG@10 (simulated judge)")
    for key, row in table.items():
        low, high = row.interval
        less, more = row.difference_interval
        print(
            f"  {key:58} {row.ndcg:.3f} [{low:.3f}, {high:.3f}]"
            f"   {row.difference:+.3f} [{less:+.3f}, {more:+.3f}]"
        )


if __name__ == "__main__":
    main()
