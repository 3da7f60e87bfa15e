"""A blocking scorer, and the SQL environment over the real engine and questions."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.conftest import data_set
from tests.writing.fakes import FakeEngine, answer, need

from leafward.library.engines import open_engine
from leafward.library.writing import Scorer, read_needs
from leafward.writing import Environment


def test_a_trainer_gets_rewards_from_any_thread() -> None:
    environment = Environment([need()], FakeEngine(), "literature")
    texts = [answer("20 of 20"), answer("! x"), "prose"]
    with Scorer(environment) as scorer, ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda _: scorer.rewards(texts, ["n"] * 3), range(8)))
        episodes = scorer.episodes(texts[:1], ["n"])
    assert results == [[6.0, -3.0, -4.0]] * 8
    assert episodes[0].found == 20


def test_failures_of_ours_are_none() -> None:
    with Scorer(Environment([need()], FakeEngine(fails=1.0), "literature")) as scorer:
        assert scorer.rewards([answer("20 of 20"), "prose"], ["n", "n"]) == [None, -4.0]


@pytest.mark.real_data
def test_every_gold_query_scores_1_against_itself() -> None:
    """Must 7 of the issue, through prompt, parser, engine and reward."""
    folder = data_set("sql_geography")
    needs = read_needs(folder)
    engine = open_engine(f"sql:{folder / 'geography.sqlite'}")
    with Scorer(Environment(needs, engine, "sql")) as scorer:
        rewards = scorer.rewards([answer(each.gold, key="sql") for each in needs], needs)
        wrong = scorer.rewards([answer("SELECT 1, 2, 3, 4", key="sql")] * 50, needs[:50])
    assert [json.dumps(reward) for reward in set(rewards)] == ["1.0"]
    assert len(rewards) == 872
    assert set(wrong) == {0.0}
