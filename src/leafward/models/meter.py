"""Counting what calls cost, by model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from leafward.errors import ModelError
from leafward.models.layers import Layer
from leafward.models.prices import Prices
from leafward.models.worst import worst_case
from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.types import NO_USAGE, Completion, JsonSchema, Message, Sampling, Usage


class Meter:
    """Running usage of everything that was called with it; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_model: dict[str, Usage] = {}

    def add(self, model: str, usage: Usage) -> None:
        """Count a usage towards a model, here and in the meters of `counting`."""
        for meter in (self, *_COUNTING.get()):
            with meter._lock:
                meter._by_model[model] = meter._by_model.get(model, NO_USAGE) + usage

    @property
    def by_model(self) -> Mapping[str, Usage]:
        """Usage so far by model name; a copy."""
        with self._lock:
            return dict(self._by_model)

    @property
    def total(self) -> Usage:
        """Usage so far; money is None where the price of any model in it is unknown."""
        return sum(self.by_model.values(), NO_USAGE)


_COUNTING: ContextVar[tuple[Meter, ...]] = ContextVar("leafward_counting", default=())


@contextmanager
def counting() -> Iterator[Meter]:
    """A meter of what is used inside, by tasks and threads started inside, and by nothing else.

    So each of many queries in flight knows its own usage over models that all of them share.
    """
    meter = Meter()
    token = _COUNTING.set((*_COUNTING.get(), meter))
    try:
        yield meter
    finally:
        _COUNTING.reset(token)


class Metered(Layer):
    """Counts each attempt: what the provider reports, or the worst case where it may have billed
    an answer that never arrived."""

    def __init__(self, inner: ChatModel, meter: Meter, prices: Prices | None) -> None:
        super().__init__(inner)
        self._meter = meter
        self._prices = prices

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once, and count it."""
        try:
            completion = await self._inner.complete(messages, schema=schema, sampling=sampling)
        except ModelError as error:
            if error.billed:
                self._add(worst_case(messages, schema, sampling, self._prices))
            raise
        except asyncio.CancelledError:
            self._add(worst_case(messages, schema, sampling, self._prices))
            raise
        self._add(completion.usage)
        return completion

    def _add(self, usage: Usage) -> None:
        self._meter.add(self.name, usage)
