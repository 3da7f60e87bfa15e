"""Measures: names, values against pytrec_eval, exclusions, empty and absent rankings."""

from __future__ import annotations

import math
import sys

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from leafward.errors import MissingExtra, SettingsError
from leafward.evaluate import DEFAULT_MEASURES, Measures
from leafward.types import Hit, Ranking

DOCS = [f"d{i}" for i in range(8)]
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from(DOCS), st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1),
    min_size=1,
)
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=1),
    min_size=1,
)


def ranking(*ids: str) -> Ranking:
    return Ranking(tuple(Hit(doc_id, -float(rank)) for rank, doc_id in enumerate(ids)))


@given(RUNS, QRELS)
def test_values_are_those_of_pytrec_eval(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]
) -> None:
    ours = Measures(["nDCG@5", "R@3", "AP", "P@2", "Success@1", "RR"]).per_query(qrels, run)
    names = {
        "nDCG@5": "ndcg_cut_5",
        "R@3": "recall_3",
        "AP": "map",
        "P@2": "P_2",
        "Success@1": "success_1",
        "RR": "recip_rank",
    }
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, {"ndcg_cut.5", "recall.3", "map", "P.2", "success.1", "recip_rank"}
    ).evaluate(run)
    for name, other in names.items():
        assert ours[name] == pytest.approx({q: values[other] for q, values in theirs.items()})


@given(RUNS, QRELS)
def test_cut_off_reciprocal_rank_breaks_ties_like_the_others(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]
) -> None:
    values = Measures(["RR", "RR@3"]).per_query(qrels, run)
    for query_id, full in values["RR"].items():
        assert values["RR@3"][query_id] == pytest.approx(full if full > 0.3 else 0.0)


def test_default_names_are_canonical() -> None:
    assert Measures().names == DEFAULT_MEASURES


def test_other_spellings_are_taken_once() -> None:
    names = Measures(["MRR@10", "RR@10", "MAP", "Recall@100", " nDCG @ 10 ", "RR(rel=2)@5"]).names
    assert names == ("RR@10", "AP", "R@100", "nDCG@10", "RR(rel=2)@5")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "nDCG@",
        "nDGC@10",
        "nDCG@ten",
        "R",
        "__import__('os')",
        "nDCG@10, R@5",
        "R(5)",
        "R(**x)",
        "RR(rel=print())",
        "x.y",
        "P(rel=1",
        "nDCG(colour='red')@10",
    ],
)
def test_an_unknown_measure_is_refused_with_a_hint(name: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Measures([name]).per_query({"q": {"a": 1}}, {"q": ranking("a")})
    assert "nDCG@10" in caught.value.hint


def test_no_measure_is_refused() -> None:
    with pytest.raises(SettingsError, match="no measure"):
        Measures([])


def test_what_nobody_installed_computes_is_refused() -> None:
    with pytest.raises(SettingsError, match="installed"):
        Measures(["alpha_nDCG@10"])


def test_without_ir_measures_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtra) as caught:
        Measures()
    assert "leafward[eval]" in caught.value.hint


def test_an_empty_ranking_scores_zero_and_an_absent_one_nothing() -> None:
    qrels = {"found": {"a": 1}, "empty": {"a": 1}, "absent": {"a": 1}}
    values = Measures().per_query(qrels, {"found": ranking("a"), "empty": ranking()})
    for name in DEFAULT_MEASURES:
        assert values[name].keys() == {"found", "empty"}
        assert values[name]["empty"] == 0.0
    assert values["nDCG@10"]["found"] == 1.0


def test_only_empty_rankings_score_zero() -> None:
    assert Measures(["AP"]).per_query({"q": {"a": 1}}, {"q": ranking()}) == {"AP": {"q": 0.0}}


def test_queries_without_judgements_are_no_part_of_it() -> None:
    values = Measures(["AP"]).per_query({"q": {"a": 1}}, {"q": ranking("a"), "x": ranking("a")})
    assert values == {"AP": {"q": 1.0}}


def test_excluded_documents_are_taken_out_before_scoring() -> None:
    qrels = {"q": {"gold": 1}}
    run = {"q": ranking("banned", "gold")}
    measures = Measures(["nDCG@10", "Success@1"])
    assert measures.per_query(qrels, run)["Success@1"]["q"] == 0.0
    assert measures.per_query(qrels, run)["nDCG@10"]["q"] == pytest.approx(1 / math.log2(3))
    values = measures.per_query(qrels, run, {"q": {"banned"}})
    assert values == {"nDCG@10": {"q": 1.0}, "Success@1": {"q": 1.0}}


def test_a_ranking_of_nothing_but_excluded_documents_scores_zero() -> None:
    values = Measures().per_query({"q": {"a": 1}}, {"q": ranking("b")}, {"q": {"b"}})
    assert all(value == {"q": 0.0} for value in values.values())


def test_judged_counts_judgements_of_any_grade() -> None:
    values = Measures(["Judged@2"]).per_query({"q": {"a": 0, "b": 1}}, {"q": ranking("a", "x")})
    assert values == {"Judged@2": {"q": 0.5}}
