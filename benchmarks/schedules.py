"""No barrier against lock-step, on a scripted server with heavy-tailed latency.

    python -m benchmarks.schedules [--queries 32] [--median 4]

Real HTTP to a scripted model server on loopback whose latency is log-normal (σ = 1); its answers
come from the qrels with set-dependent noise (simulated, see leafward.testing). All schedules have
the same budget of slates and all queries in flight. Throughput is slates judged per second; the
ratio is what counts. Well below a median of two seconds the client's processor is what bounds all
of them on two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import time

import numpy as np

from benchmarks.ablation import ndcg
from benchmarks.data import Collection, load, model_free_tree
from benchmarks.machine import save
from leafward.library.reader import MemoryDocuments, TreeReader
from leafward.models import open_chat
from leafward.search import search_many, search_together
from leafward.search.judges.listwise import ListwiseJudge
from leafward.settings import ModelSettings, SearchSettings
from leafward.testing import LogNormal, Noise, Oracle, ScriptedServer, rules, word_overlap
from leafward.types import Qrel, SearchResult

SIGMA = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=32)
    parser.add_argument("--median", type=float, default=4.0, help="seconds")
    parser.add_argument("--data", default="bright_theoremqa_questions_mini")
    args = parser.parse_args()
    collection = load(args.data, "test", limit=args.queries)
    tree = model_free_tree(collection)
    qrels = [
        Qrel(query, doc, value)
        for query, judged in collection.qrels.items()
        for doc, value in judged.items()
    ]
    oracle = Oracle(
        collection.documents, collection.queries, qrels, tree=tree, unknown=word_overlap
    )
    reader = TreeReader(tree, MemoryDocuments(tree, collection.documents, {}))
    rows: dict[str, dict[str, float]] = {}
    result: dict[str, object] = {
        "simulated": True,
        "queries": args.queries,
        "median_latency": args.median,
        "sigma": SIGMA,
    }
    with ScriptedServer(
        rules=[rules.noisy_judge(oracle, Noise())],
        latency=LogNormal(median=args.median, sigma=SIGMA),
    ) as server:
        settings = ModelSettings.model_validate(
            {"base_url": server.base_url, "api_key": "none", "concurrency": 1000}
        )

        async def run(schedule: str) -> list[SearchResult]:
            chat = open_chat("openai:scripted", settings)
            judge = ListwiseJudge(chat, candidate_tokens=60)
            search = SearchSettings.model_validate(
                {"schedule": "free" if schedule == "free" else "lockstep"}
            )
            try:
                if schedule == "one barrier":
                    return await search_together(
                        tree, collection.queries, judge, search, reader=reader
                    )
                return await search_many(
                    tree, collection.queries, judge, search, reader=reader, in_flight=args.queries
                )
            finally:
                await chat.aclose()

        for schedule in ("free", "lockstep per query", "one barrier"):
            start = time.perf_counter()
            found = asyncio.run(run(schedule))
            rows[schedule] = summary(found, collection, time.perf_counter() - start)
            print(schedule, rows[schedule], flush=True)
    result["schedules"] = rows
    for other in ("lockstep per query", "one barrier"):
        ratio = rows["free"]["slates_per_second"] / rows[other]["slates_per_second"]
        result[f"free / {other}"] = ratio
        print(f"free / {other}: {ratio:.2f}")
    print(save("schedules", result))


def summary(
    results: list[SearchResult], collection: Collection, seconds: float
) -> dict[str, float]:
    """Throughput and quality of one schedule."""
    slates = sum(found.usage.calls for found in results)
    scores = []
    for query, found in zip(collection.queries, results, strict=True):
        gold = {doc: 1.0 for doc, value in collection.qrels[query.id].items() if value > 0}
        scores.append(ndcg([hit.doc_id for hit in found], gold))
    return {
        "seconds": seconds,
        "slates": slates,
        "slates_per_second": slates / seconds,
        "ndcg@10": float(np.mean(scores)),
        "degraded": sum(found.degraded for found in results),
    }


if __name__ == "__main__":
    main()
