"""The environment: the same rewards in any company; our failures are never the policy's."""

from __future__ import annotations

import random

import pytest
from tests.writing.fakes import FakeEngine, FakeTables, answer, need

from leafward.errors import IndexDamaged, ModelRejected, ModelTimeout, SettingsError
from leafward.types import Episode, Need, Ranking
from leafward.writing import Environment, Style, tally

NEEDS = [need(f"n{number}") for number in range(30)]
EXPRESSIONS = ["20 of 20", "14 of 200", "3 of 9", "1 of 2500", "0 of 0", "! x", "rank 40"]


def attempts(seed: int = 0) -> list[tuple[str, str]]:
    """Completions of all kinds, for all needs."""
    chance = random.Random(seed)
    texts = [answer(each) for each in EXPRESSIONS] + [
        "prose",
        answer(" "),
        answer("2 of 3", key="q"),
    ]
    return [(chance.choice(texts), each.id) for each in NEEDS for _ in range(8)]


def split(pairs: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [text for text, _ in pairs], [need_id for _, need_id in pairs]


async def test_rewards_do_not_depend_on_order_company_or_concurrency() -> None:
    pairs = attempts()
    together = await Environment(NEEDS, FakeEngine(), "literature").rewards(*split(pairs))
    alone = Environment(NEEDS, FakeEngine(), "literature", concurrency=1)
    singly = [(await alone.rewards([text], [need_id]))[0] for text, need_id in pairs]
    assert together == singly
    order = list(range(len(pairs)))
    random.Random(1).shuffle(order)
    shuffled = await Environment(NEEDS, FakeEngine(), "literature").rewards(
        *split([pairs[place] for place in order])
    )
    assert [together[place] for place in order] == shuffled
    assert len(set(together)) > 4


async def test_failures_of_ours_change_no_reward_and_are_counted() -> None:
    """Must 3 of the issue: with 20 % of all searches failing, what is scored is scored the same."""
    pairs = attempts()
    sound = await Environment(NEEDS, FakeEngine(), "literature").step(*split(pairs))
    flaky = Environment(NEEDS, FakeEngine(fails=0.2, seed=3), "literature", concurrency=4)
    lost = 0
    episodes: list[Episode] = []
    for start in range(0, len(pairs), 4):  # small steps, so that expressions fail one by one
        episodes += await flaky.step(*split(pairs[start : start + 4]))
    for one, other in zip(sound, episodes, strict=True):
        if other.reward is None:
            lost += 1
            assert other.failure == "EngineUnavailable: 503 from the service"
            assert (other.score, other.hits, other.found) == (None, None, None)
        else:
            assert other == one
    assert 0 < lost < len(pairs)
    assert flaky.failures == {"EngineUnavailable: 503 from the service": lost}
    assert tally(episodes).unscored == lost


async def test_what_failed_is_tried_again_and_what_was_found_is_remembered() -> None:
    engine = FakeEngine(fails=1.0)
    environment = Environment([need()], engine, "literature")
    text = answer("20 of 20")
    assert await environment.rewards([text, text], ["n", "n"]) == [None, None]
    assert engine.asked["20 of 20"] == 1  # once a step, whoever shares it
    engine.fails = 0.0
    assert await environment.rewards([text] * 8, ["n"] * 8) == [6.0] * 8
    assert await environment.rewards([text], ["n"]) == [6.0]
    assert engine.asked["20 of 20"] == 2
    assert environment.executed == 2


class Broken(FakeEngine):
    """Raises what it is given."""

    error: Exception

    async def search(self, expression: str, *, k: int) -> Ranking:
        raise self.error


async def test_a_model_that_gives_out_is_our_failure_too() -> None:
    engine = Broken()
    engine.error = ModelTimeout("no answer", hint="wait")
    environment = Environment([need()], engine, "literature")
    assert await environment.rewards([answer("a")], ["n"]) == [None]
    engine.error = ModelRejected("prompt too long", of_request=True, hint="shorten it")
    assert await environment.rewards([answer("a")], ["n"]) == [None]


@pytest.mark.parametrize(
    "error", [IndexDamaged("broken", hint="rebuild"), ModelRejected("bad key", hint="set it")]
)
async def test_what_no_other_expression_would_change_is_raised(error: Exception) -> None:
    engine = Broken()
    engine.error = error
    with pytest.raises(type(error)):
        await Environment([need()], engine, "literature").step([answer("a")], ["n"])


async def test_an_episode_tells_everything_of_its_completion() -> None:
    (episode,) = await Environment([need()], FakeEngine(), "literature").step(
        [answer("10 of 40", thought="half will do")], ["n"]
    )
    assert episode.need_id == "n"
    assert episode.rewrite.reasoning == "half will do"
    assert episode.rewrite.expression == "10 of 40"
    assert (episode.reward, episode.hits, episode.found, episode.precision) == (5.0, 40, 10, 0.25)


def test_batches_follow_the_seed_and_visit_every_need_once_an_epoch() -> None:
    made = Environment(NEEDS, FakeEngine(), "literature", seed=5)
    again = Environment(NEEDS, FakeEngine(), "literature", seed=5)
    first = [made.batch(number, 7) for number in range(9)]
    assert first == [again.batch(number, 7) for number in range(9)]
    assert again.batch(3, 7) == first[3]  # any step, without those before it
    visited = [each.id for batch in first for each in batch]
    assert sorted(visited[:30]) == sorted(visited[30:60]) == sorted(each.id for each in NEEDS)
    assert visited[:30] != visited[30:60]
    assert [each.id for each in Environment(NEEDS, FakeEngine(), "literature").batch(0, 30)] != (
        visited[:30]
    )


async def test_a_prefilled_style_is_read_with_its_prefill() -> None:
    style = Style("pubmed", reasoning=False, prefilled=True)
    environment = Environment([need()], FakeEngine(), "literature", style=style)
    prompt = environment.prompt("n")
    assert prompt.prefill == '<answer>{"query": "'
    assert await environment.rewards(['20 of 20"', "20 of 20"], ["n", "n"]) == [6.0, -4.0]


@pytest.mark.parametrize(
    ("needs", "engine", "reward", "style"),
    [
        ([], FakeEngine(), "literature", None),
        ([need(), need()], FakeEngine(), "literature", None),
        ([Need("n", "t")], FakeEngine(), "literature", None),
        ([need()], FakeTables(), "sql", None),
        ([need(gold="SELECT 1")], FakeEngine(), "sql", None),
        ([need()], FakeEngine(), "literature", Style("text")),
        ([need()], FakeEngine("klingon"), "literature", None),
    ],
)
def test_what_cannot_be_scored_is_refused(
    needs: list[Need], engine: FakeEngine, reward: str, style: Style | None
) -> None:
    with pytest.raises(SettingsError) as caught:
        Environment(needs, engine, reward, style=style)
    assert caught.value.hint


async def test_completions_and_needs_must_be_as_many_and_known() -> None:
    environment = Environment([need()], FakeEngine(), "literature")
    with pytest.raises(SettingsError, match="2 completions for 1 needs"):
        await environment.step(["a", "b"], ["n"])
    with pytest.raises(SettingsError, match="no need 'x'"):
        await environment.step(["a"], ["x"])


async def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leafward.writing.executing.REMEMBERED", 100)
    engine = FakeEngine()
    environment = Environment([need()], engine, "literature")
    texts = [answer(f"1 of {size}") for size in (60, 70, 60, 60, 70)]
    for text in texts:
        await environment.rewards([text], ["n"])
    assert engine.asked == {"1 of 60": 2, "1 of 70": 2}


async def test_a_tally_sums_up_what_a_curve_shows() -> None:
    texts = [
        answer("14 of 28", thought="ab"),
        answer("0 of 0", thought="abcd"),
        answer("! x"),
        "no",
    ]
    episodes = await Environment([need()], FakeEngine(), "literature@20").step(texts, ["n"] * 4)
    summed = tally([*episodes, Episode("n", "", episodes[0].rewrite, None, failure="down")])
    assert (summed.episodes, summed.unscored) == (5, 1)
    assert summed.reward == pytest.approx((2.0 - 2.5 - 3.0 - 4.0) / 4)  # 6 of 20 stand before k
    assert (summed.valid, summed.executed, summed.found) == (0.75, 0.5, 0.25)
    assert (summed.empty, summed.at_cap, summed.hits) == (0.5, 0.5, 14)
    assert summed.precision == pytest.approx(0.15)
    assert summed.measure == pytest.approx(0.3 / 4)
    assert summed.levels == {1.0: 0.25, -3.5: 0.25, -4.0: 0.25}
    assert summed.flaws == {"syntax-error": 1, "missing-tag": 4}
    assert summed.thought_length == pytest.approx((2 + 4 + 1) / 3)
    assert summed.expression_length == pytest.approx((8 + 6 + 3) / 3)


def test_a_tally_of_nothing_claims_nothing() -> None:
    empty = tally([])
    assert (empty.episodes, empty.reward, empty.found, empty.hits) == (0, None, None, None)
