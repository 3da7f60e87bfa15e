"""Our nDCG@10 of runs that others published, against the figures that they published.

    python -m benchmarks.metric_parity

The runs are those of XRR2 on BRIGHT's twelve tasks (12 of ``rr``, 11 of ``rr2``: the repository has
no ``rr2`` run of theoremqa_questions). XRR2 computed its figures with BRIGHT's evaluation, which is
pytrec_eval: equal scores are ordered by document id downwards. ``rr2`` sums five rerankings, so it
is full of equal scores; ``in_file_order`` shows what another order makes of it: that of the file,
which in ``rr2`` is by document id upwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks.data import DATA
from benchmarks.machine import save
from leafward.evaluate import Measures, Run, read_collection, read_qrels_file, read_run
from leafward.types import Collection

FIXTURE = DATA / "bright_eval_fixture"
MEASURE = "nDCG@10"

PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "biology": {"rr": 0.62310, "rr2": 0.63137},
    "earth_science": {"rr": 0.55802, "rr2": 0.55440},
    "economics": {"rr": 0.37408, "rr2": 0.38486},
    "psychology": {"rr": 0.54178, "rr2": 0.52883},
    "robotics": {"rr": 0.35234, "rr2": 0.37096},
    "stackoverflow": {"rr": 0.36901, "rr2": 0.38242},
    "sustainable_living": {"rr": 0.43194, "rr2": 0.44636},
    "leetcode": {"rr": 0.21329, "rr2": 0.21861},
    "pony": {"rr": 0.33238, "rr2": 0.35037},
    "aops": {"rr": 0.16690, "rr2": 0.15691},
    "theoremqa_questions": {"rr": 0.34057, "rr2": 0.34403},
    "theoremqa_theorems": {"rr": 0.45734, "rr2": 0.46188},
}
"""From the README of jataware/XRR2."""


def ndcg(collection: Collection, run: Run) -> float:
    """Mean nDCG@10 of a run, with what each query excludes taken out of it."""
    excluded = {query.id: query.excluded_ids for query in collection.queries}
    values = Measures([MEASURE]).per_query(collection.qrels, run, excluded)[MEASURE]
    return sum(values.values()) / len(collection.queries)


def in_file_order(run: Run) -> Run:
    """The same run with scores that order equal ones as its file lists them."""
    orders = {
        query_id: sorted(scores, key=lambda doc_id: -scores[doc_id])
        for query_id, scores in run.items()
    }
    return {
        query_id: {doc_id: float(-rank) for rank, doc_id in enumerate(order)}
        for query_id, order in orders.items()
    }


def parity(task: str, fixture: Path = FIXTURE) -> dict[str, dict[str, object]]:
    """The stages of a task whose runs were published, each against its published figure."""
    collection = read_collection(fixture, split=task)
    qrels_equal = collection.qrels == read_qrels_file(fixture / "qrels" / f"{task}.trec")
    rows: dict[str, dict[str, object]] = {}
    for stage, published in PUBLISHED[task].items():
        path = fixture / "runs_xrr2" / f"{task}.{stage}.json.gz"
        if not path.exists():
            continue
        run = read_run(path)
        recomputed = ndcg(collection, run)
        rows[stage] = {
            "queries": len(collection.queries),
            "qrels_equal": qrels_equal,
            "published": published,
            "recomputed": round(recomputed, 5),
            "equal_to_4_decimals": f"{published:.4f}" == f"{recomputed:.4f}",
            "equal_to_5_decimals": f"{published:.5f}" == f"{recomputed:.5f}",
            "in_file_order": round(ndcg(collection, in_file_order(run)), 5),
        }
    return rows


def main() -> None:
    result = {task: parity(task) for task in PUBLISHED}
    for task, rows in result.items():
        for stage, row in rows.items():
            verdict = "equal" if row["equal_to_4_decimals"] else "DIFFERENT"
            print(f"{task:20} {stage:4} {row['published']:.5f} {row['recomputed']:.5f} {verdict}")
    print(save("metric_parity", {"measure": MEASURE, "tasks": result}))


if __name__ == "__main__":
    main()
