"""Calls in flight, requests per minute and tokens per minute."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence

from leafward.models.layers import Layer
from leafward.models.stop import Stop
from leafward.models.worst import worst_case
from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.remote.bucket import Bucket
from leafward.remote.deadline import Clock
from leafward.remote.gate import Gate
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
        self._requests = _bucket(settings.requests_per_minute, clock)
        self._tokens = _bucket(settings.tokens_per_minute, clock)
        buckets = [bucket for bucket in (self._requests, self._tokens) if bucket is not None]
        self._gate = Gate(settings.concurrency, buckets, stop or Stop(), sleep=sleep)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once, when the limits allow it."""
        amounts = [1] if self._requests is not None else []
        expected = 0
        if self._tokens is not None:
            expected = worst_case(messages, schema, sampling, None).tokens
            amounts.append(expected)
        async with self._gate.passing(*amounts):
            completion = await self._inner.complete(messages, schema=schema, sampling=sampling)
        if self._tokens is not None:
            self._tokens.take(completion.usage.tokens - expected)
        return completion


def _bucket(per_minute: float | None, clock: Clock) -> Bucket | None:
    return None if per_minute is None else Bucket(per_minute, clock=clock)
