"""BRIGHT's metric, pinned by runs and figures that others published."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.metric_parity import PUBLISHED, in_file_order, parity
from tests.conftest import data_set

from leafward.evaluate import Measures, read_collection, read_run

UNPUBLISHED = {"theoremqa_questions": {"rr2"}}
QE = {
    "biology": (0.6082, 0.8915),
    "aops": (0.0712, 0.2487),
    "theoremqa_questions": (0.2272, 0.3965),
}
"""nDCG@10 and R@100 of the runs before reranking, as the fixture's README has them: with equal
scores in the order of the file, where BRIGHT has them by document id downwards."""


@pytest.fixture(scope="module")
def fixture() -> Path:
    return data_set("bright_eval_fixture")


@pytest.mark.real_data
@pytest.mark.parametrize("task", PUBLISHED)
def test_published_figures_are_met_to_the_last_digit(task: str, fixture: Path) -> None:
    rows = parity(task, fixture)
    assert rows.keys() == {"rr", "rr2"} - UNPUBLISHED.get(task, set())
    for row in rows.values():
        assert row["equal_to_4_decimals"]
        assert row["equal_to_5_decimals"]
        assert row["qrels_equal"]


@pytest.mark.real_data
@pytest.mark.parametrize("task", QE)
def test_runs_before_reranking_in_the_other_order_of_ties(task: str, fixture: Path) -> None:
    collection = read_collection(fixture, split=task)
    run = read_run(fixture / "runs_xrr2" / f"{task}.qe.json.gz")
    values = Measures(["nDCG@10", "R@100"]).per_query(collection.qrels, in_file_order(run))
    means = tuple(sum(column.values()) / len(column) for column in values.values())
    assert means == pytest.approx(QE[task], abs=5e-5)
