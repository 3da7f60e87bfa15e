"""Summaries: what is averaged, what is only counted, and the object for --json."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.evaluate.samples import Scripted, answer, collection

from leafward.errors import EngineUnavailable
from leafward.evaluate import Measures, evaluate, summarise
from leafward.types import Collection, Outcome, Query, Ranking, Usage

MEASURES = Measures(["RR@10", "Success@1"])


def ranks(query: Query) -> Ranking:
    return answer(query, rank=2 if query.id == "q1" else 1)


async def test_means_usage_and_counts() -> None:
    retriever = Scripted({"q2": EngineUnavailable("down")}, make=ranks)
    outcomes = await evaluate(retriever, collection(4))
    summary = summarise(outcomes, collection(4), MEASURES, method="bm25", seed=3)
    assert summary.per_query["RR@10"] == {"q0": 1.0, "q1": 0.5, "q3": 1.0}
    assert summary.measures["RR@10"].mean == pytest.approx(2.5 / 3)
    assert summary.measures["Success@1"].mean == pytest.approx(2 / 3)
    interval = summary.measures["RR@10"].interval
    assert 0.5 <= interval.low <= 2.5 / 3 <= interval.high <= 1.0
    assert summary.usage == Usage(calls=6, prompt_tokens=300, completion_tokens=30, money=1.5)
    assert (summary.queries, summary.failed, summary.missing) == (3, 1, 0)
    assert (summary.judged, summary.degraded, summary.seed) == (21, 0, 3)
    assert (summary.method, summary.collection, summary.split) == ("bm25", "small", "test")


def test_degraded_and_missing_queries_are_counted() -> None:
    worse = replace(answer(Query("q0", "")), degraded=True)
    summary = summarise([Outcome("q0", worse, 2.0)], collection(3), MEASURES)
    assert (summary.queries, summary.degraded, summary.missing) == (1, 1, 2)
    assert (summary.seconds, summary.median_seconds) == (2.0, 2.0)


def test_excluded_documents_do_not_count() -> None:
    whole = collection(1)
    query = replace(whole.queries[0], excluded_ids=frozenset({"x0"}))
    outcomes = [Outcome("q0", answer(query, rank=2), 0.0)]
    assert summarise(outcomes, whole, MEASURES).measures["RR@10"].mean == 0.5
    held = Collection("small", "test", (), (query,), whole.qrels)
    assert summarise(outcomes, held, MEASURES).measures["RR@10"].mean == 1.0


def test_nothing_found_has_no_means() -> None:
    lost = [Outcome("q0", None, 0.1, "down")]
    summary = summarise(lost, collection(1), MEASURES)
    assert (summary.measures, summary.queries, summary.failed) == ({}, 0, 1)
    assert json.loads(json.dumps(summary.as_json()))["measures"] == {}


def test_the_same_seed_gives_the_same_interval() -> None:
    outcomes = [
        Outcome(query.id, answer(query, rank=1 + i % 4), 0.0)
        for i, query in enumerate(collection(12).queries)
    ]
    first, again, other = (
        summarise(outcomes, collection(12), MEASURES, seed=seed) for seed in (0, 0, 1)
    )
    assert first == again
    assert first.measures["RR@10"].mean == other.measures["RR@10"].mean
    assert first.measures["RR@10"].interval != other.measures["RR@10"].interval


def test_the_object_for_json() -> None:
    free = answer(Query("q0", ""))
    unknown = replace(free, usage=Usage(calls=1, money=None))
    outcomes = [Outcome("q0", unknown, 0.5), Outcome("q1", replace(free, query_id="q1"), 1.5)]
    summary = summarise(outcomes, collection(2), Measures(["AP"]), method="tree", seed=7)
    printed = json.loads(json.dumps(summary.as_json(), allow_nan=False))
    assert printed["measures"].keys() == {"AP"}
    assert printed["measures"]["AP"].keys() == {"mean", "interval"}
    low, high = printed["measures"]["AP"]["interval"]
    assert low <= printed["measures"]["AP"]["mean"] <= high
    assert printed["usage"]["calls"] == 3
    assert printed["usage"]["money"] is None
    rest = {key: printed[key] for key in printed.keys() - {"measures", "usage"}}
    assert rest == {
        "method": "tree",
        "collection": "small",
        "split": "test",
        "queries": 2,
        "confidence": 0.95,
        "seconds": 2.0,
        "median_seconds": 1.0,
        "judged": 14,
        "degraded": 0,
        "failed": 0,
        "missing": 0,
        "seed": 7,
    }
