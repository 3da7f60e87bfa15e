from __future__ import annotations

import asyncio

import pytest

from leafward.concurrency import map_drained


async def test_keeps_order_and_limit() -> None:
    running = peak = 0

    async def work(item: int) -> int:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.001 * (5 - item % 5))
        running -= 1
        return item * item

    assert await map_drained(work, list(range(20)), limit=4) == [i * i for i in range(20)]
    assert peak == 4
    assert await map_drained(work, [], limit=4) == []


async def test_failure_drains_what_is_in_flight() -> None:
    finished: list[int] = []

    async def work(item: int) -> None:
        if item == 1:
            await asyncio.sleep(0.001)
            raise ValueError("broken")
        await asyncio.sleep(0.01)
        finished.append(item)

    with pytest.raises(ValueError, match="broken"):
        await map_drained(work, list(range(10)), limit=3)
    assert finished == [0, 2]
