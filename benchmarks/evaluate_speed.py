"""What the harness itself costs: scoring 10,000 stored rankings, and running queries that are free.

    python -m benchmarks.evaluate_speed [--queries 10000] [--depth 100]

Rankings are synthetic, with three relevant documents each at random ranks. The retriever of the
second part answers at once, so that all of its time is the harness's own: scheduling, checking,
and, where there is one, the journal.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.machine import save
from leafward.evaluate import (
    DEFAULT_MEASURES,
    Measures,
    evaluate,
    read_run,
    summarise,
    write_run,
)
from leafward.types import Collection, Hit, Outcome, Query, Ranking

Result = TypeVar("Result")
CORPUS = 50_000


class Stored:
    """Answers from memory."""

    def __init__(self, rankings: Mapping[str, Ranking]) -> None:
        self._rankings = rankings

    async def retrieve(self, query: Query, *, k: int) -> Ranking:
        return self._rankings[query.id]


def synthetic(queries: int, depth: int, seed: int = 0) -> tuple[Collection, dict[str, Ranking]]:
    """A collection and a ranking of each of its queries."""
    rng = np.random.default_rng(seed)
    rankings: dict[str, Ranking] = {}
    qrels: dict[str, dict[str, int]] = {}
    for number in range(queries):
        ids = [f"document-{row}" for row in rng.choice(CORPUS, depth, replace=False)]
        scores = np.sort(rng.random(depth))[::-1]
        hits = tuple(Hit(doc, float(score)) for doc, score in zip(ids, scores, strict=True))
        rankings[f"q{number}"] = Ranking(hits, f"q{number}")
        qrels[f"q{number}"] = {ids[rank]: 1 for rank in rng.choice(depth, 3, replace=False)}
    asked = tuple(Query(query_id, f"need {query_id}") for query_id in rankings)
    return Collection("synthetic", "test", (), asked, qrels), rankings


def measure(queries: int, depth: int) -> dict[str, object]:
    collection, rankings = synthetic(queries, depth)
    outcomes = [Outcome(query_id, ranking, 0.0) for query_id, ranking in rankings.items()]
    measures = Measures()
    seconds: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Result]) -> Result:
        start = time.perf_counter()
        result = work()
        seconds[name] = round(time.perf_counter() - start, 3)
        print(f"{name:32} {seconds[name]:8.2f} s", flush=True)
        return result

    def run(journal: Path | None) -> tuple[Outcome, ...]:
        return asyncio.run(evaluate(Stored(rankings), collection, k=depth, journal=journal))

    with tempfile.TemporaryDirectory() as place:
        path, journal = Path(place) / "run", Path(place) / "journal.jsonl"
        timed("write the run", lambda: write_run(path, rankings))
        timed("read the run", lambda: read_run(path))
        timed("score every query", lambda: measures.per_query(collection.qrels, rankings))
        timed("score with intervals", lambda: summarise(outcomes, collection, measures))
        timed("evaluate without a journal", lambda: run(None))
        timed("evaluate with a journal", lambda: run(journal))
        timed("resume a finished evaluation", lambda: run(journal))
        return {
            "queries": queries,
            "depth": depth,
            "measures": list(DEFAULT_MEASURES),
            "seconds": seconds,
            "journal_megabytes": round(journal.stat().st_size / 1e6, 1),
            "overhead_ms_per_query": {
                name: round(1000 * seconds[f"evaluate {name}"] / queries, 3)
                for name in ("without a journal", "with a journal")
            },
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--depth", type=int, default=100)
    arguments = parser.parse_args()
    print(save("evaluate_speed", measure(arguments.queries, arguments.depth)))


if __name__ == "__main__":
    main()
