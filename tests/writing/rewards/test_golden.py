"""Completions and their rewards, worked out by hand from the tables of query-writing §3."""

from __future__ import annotations

import pytest
from tests.writing.fakes import FakeEngine, FakeTables, answer, graded, need

from leafward.types import Episode, Need
from leafward.types.tables import Cell, Table
from leafward.writing import Environment, make_reward


async def judged(
    completion: str, reward: str, asked: Need, engine: FakeEngine | None = None
) -> Episode:
    engine = engine or FakeEngine()
    (episode,) = await Environment([asked], engine, reward).step([completion], [asked])
    return episode


# found, relevant -> reward: format +1 and the tier of found / relevant
LITERATURE = [
    (20, 20, 6.0),
    (14, 20, 6.0),  # recall exactly .7
    (7, 10, 6.0),
    (21, 30, 6.0),
    (69, 100, 5.0),
    (13, 20, 5.0),
    (10, 20, 5.0),  # exactly .5
    (1, 2, 5.0),
    (49, 100, 4.0),
    (9, 20, 4.0),
    (8, 20, 4.0),  # exactly .4
    (2, 5, 4.0),
    (39, 100, 2.0),
    (7, 20, 2.0),
    (6, 20, 2.0),  # exactly .3
    (3, 10, 2.0),
    (29, 100, 1.5),
    (5, 20, 1.5),
    (2, 20, 1.5),  # exactly .1
    (1, 10, 1.5),
    (9, 100, 1.1),
    (1, 20, 1.1),  # exactly .05
    (5, 100, 1.1),
    (4, 100, -2.5),
    (1, 21, -2.5),
    (0, 20, -2.5),
]


@pytest.mark.parametrize(("found", "relevant", "reward"), LITERATURE)
async def test_literature_by_tier(found: int, relevant: int, reward: float) -> None:
    episode = await judged(answer(f"{found} of 150"), "literature", need(relevant=relevant))
    assert episode.reward == pytest.approx(reward, abs=1e-12)
    assert episode.score is not None
    assert (episode.score.format, episode.score.measure) == (1.0, found / relevant)


MALFORMED = {
    "missing-tag": '<answer>{"query": "20 of 20"}</answer>',
    "repeated-tag": answer("20 of 20") + answer("20 of 20"),
    "wrong-order": '<answer>{"query": "20 of 20"}</answer><think>t</think>',
    "bad-json": '<think>t</think><answer>{"query": "20 of 20"</answer>',
    "no-query": '<think>t</think><answer>{"expression": "20 of 20"}</answer>',
    "empty-query": answer(" "),
}


@pytest.mark.parametrize(
    ("reward", "worth"),
    [("literature", -4.0), ("evidence", -4.0), ("ndcg", -2.0), ("recall", -2.0), ("sql", -1.0)],
)
@pytest.mark.parametrize("kind", MALFORMED)
async def test_a_wrong_format_is_all_that_counts(kind: str, reward: str, worth: float) -> None:
    engine = FakeTables() if reward == "sql" else FakeEngine()
    text = MALFORMED[kind].replace('"query"', '"sql"') if reward == "sql" else MALFORMED[kind]
    episode = await judged(text, reward, need(gold="SELECT 1"), engine)
    assert {flaw.kind for flaw in episode.rewrite.problems} == {kind}
    assert episode.score is not None
    assert (episode.score.value, episode.score.format) == (worth, worth)
    assert (episode.score.answer, episode.hits, episode.found) == (None, None, None)
    assert not engine.asked  # nothing of it is executed


@pytest.mark.parametrize(
    ("reward", "worth"), [("literature", -3.0), ("evidence", -3.0), ("ndcg", -1.9)]
)
async def test_a_rejected_expression_has_the_worst_answer_in_a_right_format(
    reward: str, worth: float
) -> None:
    episode = await judged(answer("! stroke"), reward, need())
    assert episode.reward == pytest.approx(worth)
    (flaw,) = episode.rewrite.problems
    assert (flaw.kind, flaw.column) == ("syntax-error", 1)
    assert episode.rewrite.well_formed  # the format is right
    assert episode.hits is None


# rank of the first passage -> reward: format +1 and the tier
EVIDENCE = [
    (1, 6.0),
    (5, 6.0),
    (6, 5.0),
    (20, 5.0),
    (21, 3.0),
    (50, 3.0),
    (51, 2.0),
    (100, 2.0),
    (101, 1.5),
    (1000, 1.5),
    (1001, 1.1),
    (3000, 1.1),
    (3001, -2.5),
]


@pytest.mark.parametrize(("rank", "reward"), EVIDENCE)
async def test_evidence_by_rank(rank: int, reward: float) -> None:
    episode = await judged(answer(f"rank {rank}"), "evidence", need())
    assert episode.reward == pytest.approx(reward)
    assert episode.score is not None
    assert episode.score.measure == (1 / rank if rank <= 3000 else 0.0)


# ids -> nDCG at 3 with the grades a: 2, b: 1
CLASSIC = [
    (["a", "b", "x"], 1.0),
    (["b", "a"], (1 + 2 / 1.5849625007211562) / (2 + 1 / 1.5849625007211562)),
    (["x", "a"], (2 / 1.5849625007211562) / (2 + 1 / 1.5849625007211562)),
    (["x", "y", "b"], (1 / 2) / (2 + 1 / 1.5849625007211562)),
]


@pytest.mark.parametrize(("ids", "ndcg"), CLASSIC)
async def test_classic_is_ndcg_and_a_tenth(ids: list[str], ndcg: float) -> None:
    asked = Need("n", "t", relevant={"a": 2, "b": 1})
    engine = FakeEngine("text", {"q": ids})
    episode = await judged(answer("q"), "ndcg@3", asked, engine)
    assert episode.reward == pytest.approx(ndcg + 0.1)
    recalled = await judged(answer("q"), "recall@3", asked, engine)
    assert recalled.reward == pytest.approx(len({"a", "b"} & set(ids)) / 2 + 0.1)


@pytest.mark.parametrize("ids", [["x"], ["x", "y", "z", "a"]])
async def test_an_answer_of_nothing_scores_nothing_in_all(ids: list[str]) -> None:
    asked = Need("n", "t", relevant={"a": 2, "b": 1})
    episode = await judged(answer("q"), "ndcg@3", asked, FakeEngine("text", {"q": ids}))
    assert episode.reward == 0.0


def table(rows: list[tuple[Cell, ...]], *, truncated: bool = False, ordered: bool = False) -> Table:
    return Table(("x", "y"), tuple(rows), truncated, ordered)


SQL = {
    "gold": table([("a", 1), ("b", 2), ("b", 2)]),
    "ordered": table([("a", 1), ("b", 2)], ordered=True),
    "shuffled": table([("b", 2), ("a", 1), ("b", 2)]),
    "fractions": table([("b", 2.0), ("a", 1.0), ("b", 2.0)]),
    "once": table([("a", 1), ("b", 2)]),
    "other order": table([("b", 2), ("a", 1)]),
    "swapped": table([(1, "a"), (2, "b"), (2, "b")]),
    "empty": table([]),
    "cut": table([("a", 1), ("b", 2), ("b", 2)], truncated=True),
}


@pytest.mark.parametrize(
    ("statement", "gold", "reward"),
    [
        ("gold", "gold", 1.0),
        ("shuffled", "gold", 1.0),
        ("fractions", "gold", 1.0),
        ("once", "gold", 0.0),
        ("swapped", "gold", 0.0),
        ("empty", "gold", 0.0),
        ("empty", "empty", 1.0),
        ("cut", "gold", 0.0),
        ("no such statement", "gold", 0.0),
        ("once", "ordered", 1.0),
        ("other order", "ordered", 0.0),
    ],
)
async def test_sql_by_its_result(statement: str, gold: str, reward: float) -> None:
    asked = need(gold=gold)
    text = answer(statement, key="sql")
    episode = await judged(text, "sql", asked, FakeTables(tables=SQL))
    assert episode.reward == reward
    bird = await judged(text, "bird", asked, FakeTables(tables=SQL))
    runs = statement != "no such statement"
    assert bird.reward == (reward if reward else 0.3 if runs else 0.0)


@pytest.mark.parametrize("gold", ["cut", "no such statement"])
async def test_a_gold_query_without_a_whole_result_is_our_fault(gold: str) -> None:
    episode = await judged(
        answer("gold", key="sql"), "sql", need(gold=gold), FakeTables(tables=SQL)
    )
    assert episode.reward is None
    assert episode.failure == "the gold query has no whole result"


async def test_only_the_first_k_hits_count() -> None:
    everything = f"20 of {3000 + 20}"  # the relevant ones come last
    episode = await judged(answer(everything), "literature", need())
    assert episode.reward == -2.5
    assert (episode.hits, episode.at_cap, episode.found) == (3020, True, 0)
    deeper = await judged(answer(everything), "literature@3020", need())
    assert deeper.reward == 6.0


@pytest.mark.parametrize(
    ("expression", "hits", "at_cap", "found", "precision"),
    [
        ("7 of 28", 28, False, 7, 0.25),
        ("0 of 0", 0, False, 0, 0.0),
        ("10 of 100", 100, True, 10, 0.1),
        ("20 of 1000", 1000, True, 0, 0.0),
    ],
)
async def test_what_shows_a_trick_stands_beside_the_reward(
    expression: str, hits: int, at_cap: bool, found: int, precision: float
) -> None:
    episode = await judged(answer(expression), "literature@100", need())
    told = (episode.hits, episode.at_cap, episode.found, episode.precision)
    assert told == (hits, at_cap, found, precision)


def test_relevant_documents_are_those_of_the_need() -> None:
    assert make_reward("literature").k == 3000
    assert list(graded(2)) == ["r1", "r2"]
