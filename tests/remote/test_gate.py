"""The gate in front of a server: slots, rates, and time that does not count."""

from __future__ import annotations

import asyncio

import pytest

from leafward.errors import Interrupted
from leafward.remote.bucket import Bucket
from leafward.remote.deadline import Deadline, under
from leafward.remote.gate import Gate
from leafward.remote.stop import Stop


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


async def test_a_burst_of_one_spaces_calls_evenly() -> None:
    clock = Clock()
    gate = Gate(4, [Bucket(180, burst=1, clock=clock)], Stop(), sleep=clock.sleep)
    starts = []

    async def call() -> None:
        async with gate.passing(1):
            starts.append(clock.now)

    await asyncio.gather(*(call() for _ in range(10)))
    assert starts == pytest.approx([number / 3 for number in range(10)])
    for start in starts:  # never more than three in any second
        assert sum(start <= other < start + 0.999 for other in starts) <= 3


async def test_no_more_than_the_slots_at_once() -> None:
    gate, inside, peak = Gate(3, [], Stop()), 0, 0

    async def call() -> None:
        nonlocal inside, peak
        async with gate.passing():
            inside += 1
            peak = max(peak, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(call() for _ in range(20)))
    assert peak == 3


async def test_waiting_does_not_count_against_the_deadline() -> None:
    clock = Clock()
    gate = Gate(1, [Bucket(60, burst=1, clock=clock)], Stop(), sleep=clock.sleep)
    with under(Deadline(1.5, clock=clock)) as deadline:
        for _ in range(5):
            async with gate.passing(1):
                pass
        assert clock.now == pytest.approx(4.0)
        assert deadline.left == pytest.approx(1.5)


async def test_nothing_passes_after_a_wish_to_stop() -> None:
    stop = Stop()
    gate = Gate(1, [], stop)
    stop.set()
    with pytest.raises(Interrupted):
        async with gate.passing():
            raise AssertionError("passed")
    stop.clear()
    async with gate.passing():  # and the slot was given back
        pass
