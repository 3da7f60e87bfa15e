"""Holding calls back so that a server's limits are kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext

from leafward.remote.bucket import Bucket
from leafward.remote.deadline import current_deadline
from leafward.remote.per_loop import PerLoop
from leafward.remote.stop import Stop


class Gate:
    """Lets so many calls through at once, at the rate of each bucket; first come, first served.

    Waiting here is our own doing, and does not count against a call's deadline.
    """

    def __init__(
        self,
        concurrency: int,
        buckets: Sequence[Bucket],
        stop: Stop,
        *,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        self._slots = PerLoop(lambda: asyncio.Semaphore(concurrency))
        self._turn = PerLoop(asyncio.Lock)
        self._buckets = tuple(buckets)
        self._stop = stop
        self._sleep = sleep or stop.sleep

    @asynccontextmanager
    async def passing(self, *amounts: float) -> AsyncIterator[None]:
        """Wait for a slot and take an amount from each bucket, in their order; hold the slot.

        Raises:
            Interrupted: the user asked to stop.
        """
        slots = self._slots.get()
        deadline = current_deadline()
        with deadline.paused() if deadline else nullcontext():
            await slots.acquire()
        try:
            with deadline.paused() if deadline else nullcontext():
                self._stop.check()
                async with self._turn.get():
                    for bucket, amount in zip(self._buckets, amounts, strict=True):
                        await self._take(bucket, amount)
            yield
        finally:
            slots.release()

    async def _take(self, bucket: Bucket, amount: float) -> None:
        while (seconds := bucket.wait(amount)) > 0:
            await self._sleep(seconds)
        bucket.take(amount)
