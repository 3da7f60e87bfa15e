from __future__ import annotations

import pytest
from tests.search.trees import grid_tree

from leafward.errors import ModelUnavailable, UnusableOutput
from leafward.search import NoiseModel, NoisyOracleJudge, node_relevance
from leafward.search.probe import ProbeQuery, routing_probe
from leafward.settings import SearchSettings
from leafward.types import Judgement, Query, Slate

TREE = grid_tree(4, 3)
QUERIES = [ProbeQuery(f"d{number}", f"about {number}") for number in (0, 17, 40, 63)]


def oracle(noise: NoiseModel, *, inverted: bool = False) -> NoisyOracleJudge:
    tables = {q.text: node_relevance(TREE, {q.doc_id: 1.0}) for q in QUERIES}
    if inverted:
        tables = {text: 1 - table for text, table in tables.items()}
    return NoisyOracleJudge(lambda query: tables[query.text], noise)


EXACT = NoiseModel(contrast=0, slate=0, node=0)


async def test_a_perfect_judge_goes_straight_to_the_leaf() -> None:
    report = await routing_probe(TREE, QUERIES, oracle(EXACT), SearchSettings())
    assert report.reached == 1.0
    assert report.first == (1.0, 1.0, 1.0)
    assert report.calls == 3 * len(QUERIES)


async def test_a_judge_that_is_always_wrong_is_found_out() -> None:
    settings = SearchSettings(iterations=2, beam=2)
    report = await routing_probe(TREE, QUERIES, oracle(EXACT, inverted=True), settings)
    assert report.reached == 0.0
    assert report.first[0] == 0.0
    assert report.calls == 4 * len(QUERIES)


async def test_documents_whose_judge_failed_are_counted_apart() -> None:
    class Mute:
        async def judge(self, query: Query, slate: Slate) -> Judgement:
            raise UnusableOutput("nothing")

    report = await routing_probe(TREE, QUERIES, Mute(), SearchSettings())
    assert report.failed == len(QUERIES)
    assert report.reached == 0.0


async def test_an_outage_says_nothing_about_the_tree() -> None:
    class Down:
        async def judge(self, query: Query, slate: Slate) -> Judgement:
            raise ModelUnavailable("down")

    with pytest.raises(ModelUnavailable):
        await routing_probe(TREE, QUERIES, Down(), SearchSettings())
