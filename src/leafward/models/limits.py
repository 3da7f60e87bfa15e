"""Calls in flight, requests per minute and tokens per minute."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext

from leafward.models.layers import Layer
from leafward.models.stop import Stop
from leafward.models.worst import worst_case
from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.remote.bucket import Bucket
from leafward.remote.deadline import Clock, current_deadline
from leafward.remote.per_loop import PerLoop
from leafward.settings import ModelSettings
from leafward.types import Completion, JsonSchema, Message, Sampling


class Limited(Layer):
    """Holds calls back so that a provider's limits are kept; first come, first served."""

    def __init__(
        self,
        inner: ChatModel,
        settings: ModelSettings,
        *,
        stop: Stop | None = None,
        clock: Clock = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(inner)
        self._slots = PerLoop(lambda: asyncio.Semaphore(settings.concurrency))
        self._turn = PerLoop(asyncio.Lock)
        self._requests = _bucket(settings.requests_per_minute, clock)
        self._tokens = _bucket(settings.tokens_per_minute, clock)
        self._stop = stop or Stop()
        self._sleep = sleep or self._stop.sleep

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once, when the limits allow it."""
        expected = 0
        if self._tokens is not None:
            expected = worst_case(messages, schema, sampling, None).tokens
        async with self._allowance(expected):
            completion = await self._inner.complete(messages, schema=schema, sampling=sampling)
        if self._tokens is not None:
            self._tokens.take(completion.usage.tokens - expected)
        return completion

    @asynccontextmanager
    async def _allowance(self, tokens: int) -> AsyncIterator[None]:
        slots = self._slots.get()
        deadline = current_deadline()
        with deadline.paused() if deadline else nullcontext():
            await slots.acquire()
        try:
            with deadline.paused() if deadline else nullcontext():
                self._stop.check()
                async with self._turn.get():
                    await self._take(self._requests, 1)
                    await self._take(self._tokens, tokens)
            yield
        finally:
            slots.release()

    async def _take(self, bucket: Bucket | None, amount: int) -> None:
        if bucket is None:
            return
        while (seconds := bucket.wait(amount)) > 0:
            await self._sleep(seconds)
        bucket.take(amount)


def _bucket(per_minute: float | None, clock: Clock) -> Bucket | None:
    return None if per_minute is None else Bucket(per_minute, clock=clock)
