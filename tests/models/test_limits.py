from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.fakes import FakeClock, FakeModel

from leafward.errors import Interrupted
from leafward.models import Stop
from leafward.models.deadline import Deadline, under
from leafward.models.limits import Limited
from leafward.models.worst import worst_case
from leafward.remote.bucket import Bucket
from leafward.settings import ModelSettings
from leafward.types import Completion, Message, Sampling, Usage

PROMPT = [Message("user", "hello")]
ANSWER = Completion("a", Usage(1, 10, 0, 10))


def limited(model: FakeModel, limits: ModelSettings, clock: FakeClock) -> Limited:
    return Limited(model, limits, clock=clock, sleep=clock.sleep)


async def test_no_more_in_flight_than_allowed() -> None:
    model = FakeModel(ANSWER)
    layer = Limited(model, ModelSettings(concurrency=3))
    await asyncio.gather(*(layer.complete(PROMPT) for _ in range(12)))
    assert (model.peak, model.calls) == (3, 12)


async def test_requests_per_minute() -> None:
    clock = FakeClock()
    model = FakeModel(ANSWER)
    layer = limited(model, ModelSettings(requests_per_minute=60, concurrency=20), clock)
    began = clock.now
    for _ in range(65):
        await layer.complete(PROMPT)
    assert clock.now - began == pytest.approx(60)  # 5 at once, then one a second


async def test_tokens_per_minute_count_what_was_used() -> None:
    clock = FakeClock()
    sampling = Sampling(max_tokens=1000)
    expected = worst_case(PROMPT, None, sampling, None).tokens
    layer = limited(FakeModel(ANSWER), ModelSettings(tokens_per_minute=6000), clock)
    began = clock.now
    for _ in range(100):
        await layer.complete(PROMPT, sampling=sampling)
    # 100 calls of 20 tokens, not of 1000: 20 s at 100 tokens a second, less the burst of 500.
    assert 14 <= clock.now - began <= 20 + expected / 100


async def test_a_call_larger_than_the_burst_is_made_on_credit() -> None:
    clock = FakeClock()
    layer = limited(FakeModel(ANSWER), ModelSettings(tokens_per_minute=120), clock)
    await layer.complete(PROMPT, sampling=Sampling(max_tokens=5000))
    assert clock.slept == []


@settings(deadline=None)
@given(st.floats(0.5, 1000), st.lists(st.floats(0, 20), min_size=2, max_size=60))
def test_any_minute_sees_at_most_the_rate_and_a_burst(rate: float, pauses: list[float]) -> None:
    clock = FakeClock()
    bucket = Bucket(rate, clock=clock)
    taken: list[float] = []
    for pause in pauses:
        clock.now += pause
        while (seconds := bucket.wait(1)) > 0:
            clock.now += seconds
        bucket.take(1)
        taken.append(clock.now)
    assert all(later >= sooner for sooner, later in pairwise(taken))
    for start in taken:
        seen = sum(start <= moment < start + 60 for moment in taken)
        assert seen <= rate + max(1.0, rate / 12) + 1e-3


async def test_waiting_for_our_own_limits_does_not_use_up_the_deadline() -> None:
    clock = FakeClock()
    layer = limited(FakeModel(ANSWER), ModelSettings(requests_per_minute=1), clock)
    with under(Deadline(30.0, clock=clock)) as deadline:
        for _ in range(3):
            await layer.complete(PROMPT)
    assert clock.now - 1000 == pytest.approx(120)
    assert deadline.left == pytest.approx(30)


async def test_a_stop_ends_waiting() -> None:
    stop = Stop()
    model = FakeModel(ANSWER)
    layer = Limited(model, ModelSettings(requests_per_minute=1), stop=stop)
    await layer.complete(PROMPT)
    waiting = asyncio.create_task(layer.complete(PROMPT))
    await asyncio.sleep(0)
    stop.set()
    with pytest.raises(Interrupted) as caught:
        await waiting
    assert "again" in caught.value.hint
    assert model.calls == 1


def test_one_model_serves_several_event_loops() -> None:
    model = FakeModel(ANSWER)
    layer = Limited(model, ModelSettings(concurrency=1))

    async def several() -> None:
        await asyncio.gather(*(layer.complete(PROMPT) for _ in range(3)))

    asyncio.run(several())
    asyncio.run(several())
    assert (model.calls, model.peak) == (6, 1)
