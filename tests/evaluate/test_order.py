"""The order in which rankings are scored is the one that trec_eval uses."""

from __future__ import annotations

import math

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from leafward.errors import LeafwardError
from leafward.evaluate import trec_order
from leafward.evaluate.order import allowed
from leafward.types import Hit, Ranking

SCORES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 1.0 + 1e-9, 0.5, 1e300]),
    st.floats(-1e30, 1e30, allow_nan=False),
)
IDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4)
RUNS = st.dictionaries(IDS, SCORES, min_size=1, max_size=12)


@given(RUNS)
def test_it_is_the_order_of_pytrec_eval(run: dict[str, float]) -> None:
    order = trec_order("q", run)
    for doc_id in run:
        evaluator = pytrec_eval.RelevanceEvaluator({"q": {doc_id: 1}}, {"recip_rank"})
        rank = round(1 / evaluator.evaluate({"q": run})["q"]["recip_rank"])
        assert order[rank - 1] == doc_id


@given(RUNS)
def test_a_ranking_and_its_scores_are_ordered_alike(run: dict[str, float]) -> None:
    ranking = Ranking(tuple(Hit(doc_id, score) for doc_id, score in run.items()))
    assert trec_order("q", ranking) == trec_order("q", run)


def test_equal_scores_are_ordered_by_id_downwards() -> None:
    ranking = Ranking((Hit("a", 1.0), Hit("c", 1.0), Hit("b", 1.0 + 1e-12), Hit("z", 0.5)))
    assert trec_order("q", ranking) == ["c", "b", "a", "z"]


def test_what_falls_strictly_stays() -> None:
    ranking = Ranking(tuple(Hit(f"d{i}", 1.0 / (1 + i)) for i in range(50)))
    assert trec_order("q", ranking) == [hit.doc_id for hit in ranking.hits]


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_refused(score: float) -> None:
    with pytest.raises(LeafwardError, match="'q7' holds a score") as caught:
        trec_order("q7", Ranking((Hit("a", score),)))
    assert caught.value.hint


def test_a_document_twice_is_refused() -> None:
    with pytest.raises(LeafwardError, match="a document twice"):
        trec_order("q", Ranking((Hit("a", 2.0), Hit("a", 1.0))))


def test_excluded_documents_move_the_rest_up() -> None:
    assert allowed(["a", "b", "c"], {"a", "x"}) == ["b", "c"]
    assert allowed(["a", "b"], ()) == ["a", "b"]
