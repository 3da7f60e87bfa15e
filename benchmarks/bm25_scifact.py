"""BM25 alone on a BEIR set, title + text: nDCG@10 and R@100.

    python -m benchmarks.bm25_scifact [FOLDER] [--split test]

Without a folder it reads SciFact and writes ``results/bm25_scifact.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import ir_measures
from ir_measures import R, nDCG

from benchmarks.machine import save
from leafward.corpus import read_corpus, read_qrels, read_queries
from leafward.engines import Bm25Engine
from leafward.types import Document, Qrel, Query

DATA = Path(os.environ.get("LEAFWARD_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
DEPTH = 100


def measure(folder: Path, split: str = "test") -> dict[str, object]:
    """Index a BEIR folder and rank its judged queries; excluded documents are never shown."""
    documents = read_corpus(folder).documents
    qrels = read_qrels(folder, split)
    judged = {qrel.query_id for qrel in qrels}
    queries = [query for query in read_queries(folder) if query.id in judged]
    with tempfile.TemporaryDirectory() as place:
        return {
            "set": folder.name,
            "split": split,
            "documents": len(documents),
            "queries": len(queries),
            **_measured(Path(place), documents, queries, qrels),
        }


def _measured(
    place: Path, documents: Sequence[Document], queries: Sequence[Query], qrels: Sequence[Qrel]
) -> dict[str, float]:
    started = time.perf_counter()
    Bm25Engine.build(place / "lexical", documents)
    built = time.perf_counter()
    engine = Bm25Engine.open(place / "lexical")
    scored = [
        ir_measures.ScoredDoc(query.id, hit.doc_id, hit.score)
        for query in queries
        for hit in engine.rank(query.text, k=DEPTH, live=_allowed(query)).hits
    ]
    ended = time.perf_counter()
    judgements = [ir_measures.Qrel(q.query_id, q.doc_id, q.relevance) for q in qrels]
    values = ir_measures.calc_aggregate([nDCG @ 10, R @ DEPTH], judgements, scored)
    return {
        "nDCG@10": round(values[nDCG @ 10], 4),
        "R@100": round(values[R @ DEPTH], 4),
        "build_seconds": round(built - started, 3),
        "ms_per_query": round(1000 * (ended - built) / max(1, len(queries)), 3),
    }


def _allowed(query: Query) -> Callable[[str], bool] | None:
    if not query.excluded_ids:
        return None
    return lambda doc_id: doc_id not in query.excluded_ids


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--split", default="test")
    arguments = parser.parse_args()
    result = measure(arguments.folder or DATA / "scifact", arguments.split)
    if arguments.folder is None:
        save("bm25_scifact", result)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
