from __future__ import annotations

import asyncio
import json

import pytest
from tests.models.fakes import FakeModel, MemoryCache

from leafward.errors import BudgetExceeded, Interrupted, ModelRejected
from leafward.models import Budget, Meter, Stop, layered, within
from leafward.models.cache import HIT, Cached, decode, encode
from leafward.settings import BudgetSettings, ModelSettings
from leafward.types import Completion, Message, Sampling, TokenLogprob, Usage

PROMPT = [Message("user", "hello")]
COST = Usage(1, 10, 3, 5, 0.25)
ANSWER = Completion("größe", COST, "length", (TokenLogprob("A", -0.5, {"A": -0.5, "B": -2.0}),))


async def test_an_answer_is_paid_for_once(cache: MemoryCache) -> None:
    model = FakeModel(ANSWER)
    meter = Meter()
    layer = layered(model, ModelSettings(), cache=cache, meter=meter)
    first = await layer.complete(PROMPT)
    again = await layer.complete(PROMPT)
    assert (first, model.calls) == (ANSWER, 1)
    assert (again.text, again.finish_reason, again.logprobs) == (
        ANSWER.text,
        ANSWER.finish_reason,
        ANSWER.logprobs,
    )
    assert again.usage == HIT
    assert meter.total == COST + HIT
    assert (again.usage.saved_tokens, again.usage.saved_money) == (COST.tokens, COST.money)
    assert (meter.total.saved_tokens, meter.total.tokens) == (COST.tokens, COST.tokens)
    (row,) = cache.rows.values()
    assert (row["kind"], row["model"], row["usage"]) == ("chat", "fake:model", COST)


@pytest.mark.parametrize(
    "different",
    [
        {"sampling": Sampling(attempt=1)},
        {"sampling": Sampling(max_tokens=1)},
        {"schema": {"type": "object"}},
        {"messages": [Message("system", "hello")]},
        {"messages": [*PROMPT, Message("assistant", "")]},
    ],
)
async def test_every_part_of_a_question_is_its_identity(
    cache: MemoryCache, different: dict[str, object]
) -> None:
    model = FakeModel(ANSWER)
    layer = Cached(model, cache)
    await layer.complete(PROMPT)
    await layer.complete(**({"messages": PROMPT} | different))  # type: ignore[arg-type]
    await Cached(model, cache, base_url="http://elsewhere/v1").complete(PROMPT)
    assert model.calls == 3


async def test_an_answer_is_stored_before_it_is_returned(cache: MemoryCache) -> None:
    class Full(MemoryCache):
        def put(self, *args: object, **kwargs: object) -> None:
            raise OSError("disk full")

    layer = Cached(FakeModel(ANSWER), Full())
    with pytest.raises(OSError, match="disk full"):
        await layer.complete(PROMPT)


async def test_identical_questions_in_flight_are_asked_once(cache: MemoryCache) -> None:
    model = FakeModel(ANSWER)
    meter = Meter()
    layer = Cached(model, cache, meter=meter)
    answers = await asyncio.gather(*(layer.complete(PROMPT) for _ in range(5)))
    assert model.calls == 1
    assert sum((answer.usage for answer in answers), Usage()) == COST + Usage(cache_hits=4)
    assert meter.total.cache_hits == 4


async def test_a_failure_is_shared_but_not_kept(cache: MemoryCache) -> None:
    model = FakeModel(ModelRejected("bad"), ANSWER)
    layer = Cached(model, cache)
    outcomes = await asyncio.gather(
        *(layer.complete(PROMPT) for _ in range(3)), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [ModelRejected] * 3
    assert model.calls == 1
    assert (await layer.complete(PROMPT)).text == ANSWER.text


async def test_one_that_gives_up_does_not_take_the_others_along(cache: MemoryCache) -> None:
    model = FakeModel()
    proceed = asyncio.Event()

    async def behave(messages: object, sampling: object) -> Completion:
        await proceed.wait()
        return ANSWER

    model.behaviour = behave
    layer = Cached(model, cache)
    first, second = (asyncio.create_task(layer.complete(PROMPT)) for _ in range(2))
    await model.began.wait()
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    proceed.set()
    assert (await second).text == ANSWER.text
    assert model.calls == 1


async def test_when_all_give_up_the_call_is_cancelled(cache: MemoryCache) -> None:
    model = FakeModel()

    async def forever(messages: object, sampling: object) -> Completion:
        await asyncio.Event().wait()
        return ANSWER

    model.behaviour = forever
    layer = Cached(model, cache)
    task = asyncio.create_task(layer.complete(PROMPT))
    await model.began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.running == 0
    model.behaviour, model.outcomes = None, [ANSWER]
    assert (await layer.complete(PROMPT)).text == ANSWER.text


@pytest.mark.parametrize("damage", ["", "{", "null", "[]", '{"text": 3}', '{"usage": {}}'])
async def test_a_damaged_row_is_asked_again_and_then_replaced(
    cache: MemoryCache, damage: str
) -> None:
    model = FakeModel(ANSWER)
    await Cached(model, cache).complete(PROMPT)
    for row in cache.rows.values():
        row["answer"] = damage
    assert (await Cached(model, cache).complete(PROMPT)).text == ANSWER.text
    assert model.calls == 2
    assert (await Cached(model, cache).complete(PROMPT)).usage == HIT
    assert model.calls == 2


async def test_after_a_stop_only_stored_answers_are_given(cache: MemoryCache) -> None:
    stop = Stop()
    layer = layered(FakeModel(ANSWER), ModelSettings(), cache=cache, stop=stop)
    await layer.complete(PROMPT)
    stop.set()
    assert (await layer.complete(PROMPT)).usage == HIT
    with pytest.raises(Interrupted):
        await layer.complete([Message("user", "something new")])


def test_the_stored_form_is_exact() -> None:
    assert decode(encode(ANSWER)) == ANSWER
    assert json.loads(encode(ANSWER))["usage"]["money"] == 0.25
    unpriced = Completion("", Usage(1, 2, 0, 3, None), "refusal")
    assert decode(encode(unpriced)) == unpriced


async def test_the_limits_of_who_asks_first_do_not_bind_who_asks_the_same(
    cache: MemoryCache,
) -> None:
    model = FakeModel(ANSWER)
    layer = layered(model, ModelSettings(), cache=cache, budget=Budget(BudgetSettings()))

    async def limited() -> Completion:
        with within(Budget(BudgetSettings(calls=0))):
            return await layer.complete(PROMPT)

    outcomes = await asyncio.gather(
        limited(), layer.complete(PROMPT), layer.complete(PROMPT), return_exceptions=True
    )
    assert isinstance(outcomes[0], BudgetExceeded)
    assert [outcome.text for outcome in outcomes[1:] if isinstance(outcome, Completion)] == [
        ANSWER.text
    ] * 2
    assert model.calls == 1
