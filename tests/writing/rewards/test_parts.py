"""Each part of a reward alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.errors import SettingsError
from leafward.evaluate import Measures
from leafward.types import Hit, Ranking
from leafward.types.tables import Cell, Table
from leafward.writing.rewards import Classic, Evidence, Literature, SqlMatch, make_reward
from leafward.writing.rewards.parts import first_rank, ndcg, precision, recall
from leafward.writing.rewards.tables import same_result

IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)
GRADES = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 3), min_size=1)


@given(IDS, GRADES, st.integers(1, 10))
def test_ndcg_and_recall_are_those_of_the_harness(
    ids: list[str], grades: dict[str, int], k: int
) -> None:
    relevant = {each: grade for each, grade in grades.items() if grade > 0}
    ranking = Ranking(tuple(Hit(each, float(-rank)) for rank, each in enumerate(ids)))
    theirs = Measures([f"nDCG@{k}", f"R@{k}", "P@1"]).per_query({"q": grades}, {"q": ranking})
    assert ndcg(ids, grades, k) == pytest.approx(theirs[f"nDCG@{k}"]["q"])
    assert recall(ids, relevant, k) == pytest.approx(theirs[f"R@{k}"]["q"])
    assert precision(ids, relevant, 1) == pytest.approx(theirs["P@1"]["q"])


@given(IDS, IDS, st.integers(1, 10))
def test_a_rank_is_where_the_first_relevant_document_stands(
    ids: list[str], relevant: list[str], k: int
) -> None:
    rank = first_rank(ids, relevant, k)
    if rank is None:
        assert not set(ids[:k]) & set(relevant)
    else:
        assert ids[rank - 1] in relevant
        assert not set(ids[: rank - 1]) & set(relevant)


def test_a_document_counts_once() -> None:
    assert recall(["a", "a"], {"a": 1, "b": 1}, 10) == 0.5


def same(row: tuple[Cell, ...], gold: tuple[Cell, ...]) -> bool:
    return same_result(Table(("a",), (row,)), Table(("a",), (gold,)))


def test_values_are_compared_as_sql_compares_them() -> None:
    third = sum([0.1] * 3)
    assert third != 0.3
    assert same((third,), (0.3,))
    assert same((1,), (1.0,))
    assert not same(("1",), (1,))
    assert not same((b"a",), ("a",))
    assert not same((None,), (0,))
    assert same((None,), (None,))
    assert not same((0.1234567890123,), (0.1234567,))
    assert same((10**30,), (10**30,))


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("literature", Literature(3000)),
        ("literature@200", Literature(200)),
        ("Evidence@50", Evidence(50)),
        ("ndcg", Classic(10)),
        ("ndcg@1000", Classic(1000)),
        ("recall@100", Classic(100, "recall")),
        ("sql", SqlMatch()),
        ("bird", SqlMatch(runs=0.3)),
    ],
)
def test_rewards_have_names(name: str, made: object) -> None:
    assert make_reward(name) == made


@pytest.mark.parametrize("name", ["", "bm25", "ndcg@", "ndcg@0", "ndcg@ten", "ndcg@²", "sql@3"])
def test_a_wrong_name_is_told(name: str) -> None:
    with pytest.raises(SettingsError) as caught:
        make_reward(name)
    assert caught.value.hint
