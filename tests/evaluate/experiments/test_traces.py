"""What traces tell: curves that end where the method ends, losses that add up, calibration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluate.experiments.samples import COST, SETTINGS, collection, result
from tests.evaluate.experiments.samples import TREE as GRID

from leafward.evaluate import Measures
from leafward.evaluate.experiments.agreement import agreement, auc
from leafward.evaluate.experiments.calibrated import calibrated
from leafward.evaluate.experiments.curves import curve
from leafward.evaluate.experiments.losses import losses
from leafward.evaluate.experiments.studying import study
from leafward.evaluate.experiments.traces import looks, studies
from leafward.evaluate.experiments.values import full_tokens
from leafward.search import search_one
from leafward.search.replaying import Replay
from leafward.settings import SearchSettings
from leafward.types import Judgement, Query, Ranking, Slate, Usage

FOUND = result()
TREE = FOUND.methods[1]
STUDIES = studies(TREE, FOUND.collection)


def test_a_curve_ends_with_the_quality_and_the_tokens_of_the_method() -> None:
    points = curve(STUDIES, FOUND.collection, "nDCG@10")
    assert points[-1].judgements == SETTINGS.iterations
    assert points[-1].estimate.mean == pytest.approx(TREE.estimates["nDCG@10"].mean)
    assert points[-1].tokens == pytest.approx(np.mean(list(TREE.tokens.values())))
    assert points[-1].tokens == SETTINGS.iterations * COST.tokens
    assert [point.judgements for point in points] == list(looks(SETTINGS.iterations))
    assert points[0].estimate.mean == 0.0  # the root's children are no documents


def test_a_curve_is_what_a_search_of_that_budget_finds() -> None:
    """Stopped after five judgements, the search has found what its replay says of the fifth."""
    short = result(seeds=1)
    run = short.methods[1].runs[0]
    (first, *_), = studies(short.methods[1], short.collection)  # fmt: skip
    assert run.view is not None and run.outcomes[0].ranking is not None
    trace = run.outcomes[0].ranking.trace
    assert trace is not None
    replay = run.view.replay(short.collection.queries[0], trace)
    for entered in replay:
        if entered == 5:
            leaves = replay.traversal.leaves()
            assert [hit.doc_id for hit in first.hits[5]] == [
                replay.traversal.tree.doc_id(leaf) for leaf in leaves
            ]


@given(st.integers(0, 5000))
def test_looks_end_with_the_last_and_only_rise(most: int) -> None:
    places = looks(most)
    assert list(places) == sorted(set(places))
    assert (places[-1] if places else 0) == most


def test_every_relevant_document_has_one_fate() -> None:
    counted = losses(each for studied in STUDIES for each in studied)
    assert counted.documents == 6 * 2 * 2  # two documents a query, two seeds; d26 is excluded
    assert sum(counted.fates.values()) == counted.documents
    assert sum(counted.passed_over) == counted.fates.get("passed over", 0)
    arrived = [level.arrived for level in counted.levels]
    assert arrived[0] == counted.documents and arrived == sorted(arrived, reverse=True)
    assert all(each.lost == each.first + each.near + each.far for each in counted.levels)
    assert counted.fates["found"] > 0 and counted.absent == 0


def test_documents_that_the_index_lacks_are_counted_apart() -> None:
    asked = collection()
    asked.qrels["q0"]["elsewhere"] = 1  # type: ignore[index]
    (first, *_), *_ = studies(TREE, asked)  # fmt: skip
    assert first.absent == 1
    assert [path.doc_id for path in first.paths] == ["d0", "d1"]


def test_calibration_brings_slates_together() -> None:
    """The guessing judge shifts whole slates: that is what calibration takes out."""
    found = calibrated(STUDIES)
    assert found is not None
    assert len(found.before) == len(found.after) > 50
    assert np.mean(found.after) < np.mean(found.before)
    assert found.queries == 6


class Shifted:
    """A judge without noise that shifts each slate as a whole."""

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        gold = GRID.position_of("d0")
        spans = {each.node: GRID.interval(each.node) for each in slate.candidates}
        shift = 0.2 * (slate.id % 3)
        return Judgement(
            {node: 0.1 + 0.05 * (lo <= gold < hi) + shift for node, (lo, hi) in spans.items()}
        )


async def test_a_shift_of_whole_slates_is_taken_out_completely() -> None:
    settings = SearchSettings(beam=1, references=2, lambda_bias=0.0, lambda_latent=1e-9)
    found = await search_one(GRID, Query("q", "x"), Shifted(), settings, k=27)
    assert found.trace is not None
    replay = Replay(GRID, found.trace, settings, k=27).run()
    told = agreement(replay.traversal, {"d0"})
    assert max(told.gaps_before) == pytest.approx(0.4)
    assert max(told.gaps_after) == pytest.approx(0.0, abs=1e-6)
    assert told.auc_before is not None and told.auc_before < 1.0
    assert told.auc_after == 1.0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=20))
def test_auc_counts_pairs(scored: list[tuple[float, bool]]) -> None:
    scores, gold = (np.array(column) for column in zip(*scored, strict=True))
    pairs = [(a, b) for a, x in scored if x for b, y in scored if not y]
    expected = np.mean([(a > b) + 0.5 * (a == b) for a, b in pairs]) if pairs else None
    assert auc(scores, gold) == pytest.approx(expected)


def test_a_method_without_traces_is_not_studied() -> None:
    studied = study(FOUND)
    assert set(studied.curves) == set(studied.losses) == {"tree"}
    assert studied.about == "things test, n = 6 queries, up to 2 seeds"


def test_values_are_means_over_seeds() -> None:
    one, other = (summary.per_query["nDCG@10"] for summary in TREE.summaries)
    assert one != other
    for query, value in TREE.per_query["nDCG@10"].items():
        assert value == pytest.approx((one[query] + other[query]) / 2)
    assert FOUND.versus is not None
    deltas = FOUND.versus.deltas["tree"]
    assert FOUND.versus.comparisons[0].wins == sum(delta > 0 for delta in deltas.values()) == 5


def test_tokens_from_the_cache_count_as_what_they_once_cost() -> None:
    usage = Usage(calls=1, prompt_tokens=5, cache_hits=2, saved_tokens=70)
    assert full_tokens(usage) == 75


def test_exclusions_are_left_out_of_curves() -> None:
    measures = Measures(["R@100"])
    for studied in STUDIES:
        for each in studied:
            assert all(hit.doc_id != "d26" for hits in each.hits.values() for hit in hits)
            ranked = {each.query_id: Ranking(each.hits[max(each.hits)])}
            assert measures.per_query(FOUND.collection.qrels, ranked)["R@100"]
