"""Running many awaitables so that nothing in flight is thrown away when one of them fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def map_drained(
    function: Callable[[Item], Awaitable[Result]], items: Sequence[Item], *, limit: int
) -> list[Result]:
    """Apply an async function to every item, at most ``limit`` at once, in order of the items.

    On the first failure no new item is started, but what is in flight runs to its end (an answer
    that is already paid for gets stored); then that first failure is raised. Cancellation of the
    caller cancels what is in flight.
    """
    results: dict[int, Result] = {}
    failures: list[Exception] = []
    queue = iter(enumerate(items))

    async def work() -> None:
        for index, item in queue:
            if failures:
                return
            try:
                results[index] = await function(item)
            except Exception as error:  # noqa: BLE001 - kept and raised below, after the drain
                failures.append(error)

    workers = min(limit, len(items))
    await asyncio.gather(*(work() for _ in range(workers)))
    if failures:
        raise failures[0]
    return [results[index] for index in range(len(items))]


async def wait_drained(task: asyncio.Task[Result], *, seconds: float | None) -> bool:
    """Wait for a task; False where it is still running after so many seconds.

    Where the caller is cancelled the task runs to its end first, as in :func:`map_drained`.
    """
    try:
        done, _ = await asyncio.wait([task], timeout=seconds)
    except BaseException:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not report it as lost
        raise
    return bool(done)
