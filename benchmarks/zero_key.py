"""What searching is worth without a key: BM25, embeddings, and the packaged 1.5B model as judge.

    python -m benchmarks.zero_key [--local-queries 12] [--data NAME ...]

Two parts for each data set. (1) All queries, default settings: BM25, dense, and tree search with
the embedding judge over the model-free tree. (2) A seeded sample of queries under a small cap of
slates, because the local model is slow on a CPU: tree search judged by embeddings, and by the
packaged model (letters in two orders fused with the embeddings), on the same tree with the same
cap. Indexes and model answers are kept in benchmarks/.cache, so a run that was killed goes on.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections import defaultdict
from collections.abc import Mapping

import numpy as np

import leafward
from benchmarks.ablation import interval, ndcg
from benchmarks.data import CACHE, DATA
from benchmarks.machine import save
from leafward.corpus import read_qrels, read_queries
from leafward.library import Index, JudgeName
from leafward.settings import BuildSettings, ModelSettings, SearchSettings, Settings
from leafward.types import Query

LOCAL = "local:qwen2.5-coder-1.5b"
DATA_SETS = ("bright_biology_page_titles", "bright_theoremqa_questions_mini")
CAPPED = SearchSettings(beam=1, iterations=4, references=2, candidate_tokens=32)


def collection(name: str) -> tuple[list[Query], dict[str, dict[str, float]]]:
    gold: dict[str, dict[str, float]] = defaultdict(dict)
    for qrel in read_qrels(DATA / name, "test"):
        if qrel.relevance > 0:
            gold[qrel.query_id][qrel.doc_id] = 1.0
    return [query for query in read_queries(DATA / name) if query.id in gold], gold


def opened(name: str, branching: int, model: str | None = None) -> Index:
    settings = Settings(
        build=BuildSettings(branching=branching), models=ModelSettings(context_tokens=4096)
    )
    path = CACHE / f"{name}-{branching}.leafward"
    other = CACHE / f"{name}-16.leafward"
    if not path.exists() and other.exists():
        shutil.copytree(other, path)  # with its embeddings, so that they are not made again
    leafward.build(DATA / name, path, settings=settings).close()
    return leafward.open(path, model=model, settings=settings)


def run(
    index: Index,
    queries: list[Query],
    gold: Mapping[str, Mapping[str, float]],
    *,
    method: str = "tree",
    judge: JudgeName = "auto",
    search: SearchSettings | None = None,
) -> dict[str, object]:
    scores, seconds, calls, tokens, hits = [], [], 0, 0, 0
    for query in queries:
        start = time.perf_counter()
        found = index.search(
            query.text,
            k=10,
            method=method,
            judge=judge,
            exclude=query.excluded_ids,
            search=search,
        )
        seconds.append(time.perf_counter() - start)
        scores.append(ndcg([hit.doc_id for hit in found], gold[query.id]))
        calls, tokens = calls + found.usage.calls, tokens + found.usage.tokens
        hits += found.usage.cache_hits
        if judge != "auto" and found.usage.calls:
            print(f"  {len(scores)}/{len(queries)} {np.mean(scores):.3f}", flush=True)
    values = np.array(scores)
    return {
        "queries": len(queries),
        "ndcg@10": float(values.mean()),
        "interval": interval(values, np.random.default_rng(0)),
        "median_seconds": float(np.median(seconds)),
        "calls": calls,
        "tokens": tokens,
        "cache_hits": hits,
        "scores": scores,
    }


def measure(name: str, local_queries: int) -> dict[str, object]:
    queries, gold = collection(name)
    rows: dict[str, object] = {}
    with opened(name, 16) as index:
        rows["bm25, all queries"] = run(index, queries, gold, method="bm25")
        rows["dense, all queries"] = run(index, queries, gold, method="dense")
        rows["tree, embedding judge, all queries"] = run(index, queries, gold)
        rows["tree depth"] = index.tree.depth
    if local_queries:
        drawn = np.random.default_rng(0).choice(len(queries), local_queries, replace=False)
        sample = [queries[row] for row in sorted(drawn)]
        with opened(name, 8, LOCAL) as index:
            rows["capped, embedding judge"] = run(
                index, sample, gold, judge="embedding", search=CAPPED
            )
            rows["capped, packaged 1.5B fused"] = run(
                index, sample, gold, judge="fused", search=CAPPED
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--local-queries", type=int, default=6)
    parser.add_argument("--data", nargs="+", default=list(DATA_SETS))
    args = parser.parse_args()
    CACHE.mkdir(exist_ok=True)
    result: dict[str, object] = {"capped": CAPPED.model_dump(mode="json")}
    for name in args.data:
        rows = measure(name, args.local_queries)
        result[name] = rows
        print(name)
        for label, row in rows.items():
            if isinstance(row, dict):
                low, high = row["interval"]
                print(f"  {label:38} {row['ndcg@10']:.3f} [{low:.3f}, {high:.3f}]", end="")
                print(
                    f"  {row['median_seconds']:.2f} s, {row['calls']} calls, {row['tokens']} tokens"
                )
    print(save("zero_key", result))


if __name__ == "__main__":
    main()
