"""Search a BEIR set and measure nDCG@10 of three methods on its first queries.

python examples/beir_set.py FOLDER [EMBEDDER] [QUERIES] [SPLIT]
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import leafward
from leafward.corpus import read_qrels, read_queries
from leafward.library import Method

METHODS: tuple[Method, ...] = ("tree", "bm25", "dense")


def ndcg(ranking: Sequence[str], gains: Mapping[str, int], k: int = 10) -> float:
    """nDCG@k with linear gains, as trec_eval computes it."""
    got = sum(gains.get(doc, 0) / math.log2(rank + 2) for rank, doc in enumerate(ranking[:k]))
    best = sorted(gains.values(), reverse=True)[:k]
    return got / sum(gain / math.log2(rank + 2) for rank, gain in enumerate(best))


def main(folder: Path, embedder: str, limit: int, split: str) -> None:
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for qrel in read_qrels(folder, split):
        if qrel.relevance > 0:
            judged[qrel.query_id][qrel.doc_id] = qrel.relevance
    queries = [query for query in read_queries(folder) if query.id in judged][:limit]
    with (
        tempfile.TemporaryDirectory() as scratch,
        leafward.build(folder, Path(scratch) / "set.leafward", embedder=embedder) as index,
    ):
        for method in METHODS:
            scores = [
                ndcg(
                    [
                        hit.doc_id
                        for hit in index.search(
                            query.text, method=method, exclude=query.excluded_ids
                        )
                    ],
                    judged[query.id],
                )
                for query in queries
            ]
            print(f"{method:5}  nDCG@10 {sum(scores) / len(scores):.3f}  ({len(scores)} queries)")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    embedder, limit, split = (*sys.argv[2:], *("minilm", "20", "test")[len(sys.argv) - 2 :])
    main(Path(sys.argv[1]), embedder, int(limit), split)
