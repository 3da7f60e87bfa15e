from __future__ import annotations

import asyncio

import pytest
from tests.models.fakes import FakeClock, FakeModel

from leafward.errors import (
    BudgetExceeded,
    Interrupted,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from leafward.models import Stop
from leafward.models.deadline import Deadline
from leafward.models.failures import Unreachable
from leafward.models.retry import Retrying, retry_blocking
from leafward.remote.retrying import Patience
from leafward.settings import ModelSettings
from leafward.types import Completion, Message

PROMPT = [Message("user", "hello")]
QUICK = ModelSettings(retry_wait=0.0)
DOWN = ModelUnavailable("down")


async def test_tries_again_what_may_succeed() -> None:
    lost = ModelTimeout("lost")
    model = FakeModel(DOWN, lost, RateLimited("slow"), RateLimited("s", retry_after=0.01), OK)
    assert (await Retrying(model, QUICK).complete(PROMPT)).text == "ok"
    assert model.calls == 5


OK = Completion("ok")


@pytest.mark.parametrize(
    "failure",
    [
        ModelRejected("bad key"),
        BudgetExceeded("spent", limit="calls"),
        Interrupted("stop"),
        ValueError(),
    ],
)
async def test_does_not_try_again_what_cannot_succeed(failure: Exception) -> None:
    model = FakeModel(failure, OK)
    with pytest.raises(type(failure)):
        await Retrying(model, QUICK).complete(PROMPT)
    assert model.calls == 1


async def test_ends_at_the_deadline_with_the_last_failure() -> None:
    settings = ModelSettings(retry_wait=0.02, total_deadline=0.2)
    model = FakeModel(DOWN)
    with pytest.raises(ModelUnavailable, match="down"):
        await Retrying(model, settings).complete(PROMPT)
    assert model.calls >= 2


def patience(settings: ModelSettings, clock: FakeClock) -> Patience:
    return Patience(settings, Deadline(settings.total_deadline, clock=clock), Unreachable)


def test_retry_after_is_honoured_but_bounded() -> None:
    clock = FakeClock()
    waits = patience(ModelSettings(max_retry_after=60, total_deadline=180), clock)
    for asked, expected in ((7.0, 7.0), (0.5, 0.5), (3600.0, 60.0)):
        assert waits.decide(RateLimited("slow", retry_after=asked)) == 0.0
        assert waits.wait == expected
    for nothing in (0.0, None):
        assert waits.decide(RateLimited("slow", retry_after=nothing)) is True
        assert waits.wait == 0.0


def test_gives_up_where_the_wait_would_pass_the_deadline() -> None:
    clock = FakeClock()
    waits = patience(ModelSettings(total_deadline=100), clock)
    clock.now += 50
    assert waits.decide(RateLimited("slow", retry_after=40)) == 0.0
    assert waits.decide(RateLimited("slow", retry_after=49)) is False
    assert waits.decide(DOWN) is True
    clock.now += 46
    assert waits.decide(DOWN) is False


def test_a_server_that_was_never_started_is_not_waited_for_long() -> None:
    clock = FakeClock()
    waits = patience(ModelSettings(), clock)
    assert waits.decide(Unreachable("nobody there")) is True
    clock.now += 16
    assert waits.decide(Unreachable("nobody there")) is False
    assert waits.decide(DOWN) is True


async def test_a_stop_ends_a_long_wait() -> None:
    stop = Stop()
    model = FakeModel(RateLimited("slow", retry_after=50))
    task = asyncio.create_task(Retrying(model, ModelSettings(), stop=stop).complete(PROMPT))
    await model.began.wait()
    stop.set()
    with pytest.raises(Interrupted):
        await task
    assert model.calls == 1


def test_threads_have_the_same_policy() -> None:
    outcomes: list[Exception | int] = [DOWN, RateLimited("slow", retry_after=0.001), 3]

    def call() -> int:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    assert retry_blocking(call, QUICK, Stop()) == 3
    outcomes[:] = [ModelRejected("bad key"), 3]
    with pytest.raises(ModelRejected):
        retry_blocking(call, QUICK, Stop())
    stop = Stop()
    stop.set()
    with pytest.raises(Interrupted):
        retry_blocking(call, QUICK, stop)
