"""Every answer under its content hash before it is used, and no question asked twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from pydantic import TypeAdapter, ValidationError

from leafward.errors import BudgetExceeded
from leafward.models.layers import Layer
from leafward.models.meter import Meter
from leafward.protocols import DEFAULT_SAMPLING, CallCache, ChatModel
from leafward.remote.keys import canonical, look_up
from leafward.types import Completion, JsonSchema, Message, Sampling, Usage

HIT = Usage(cache_hits=1)
_COMPLETION: TypeAdapter[Completion] = TypeAdapter(Completion)


def describe(
    model: str,
    base_url: str,
    messages: Sequence[Message],
    schema: JsonSchema | None,
    sampling: Sampling,
) -> str:
    """Canonical JSON of everything that decides an answer; holds no secret."""
    return canonical(
        {
            "model": model,
            "base_url": base_url,
            "messages": [[message.role, message.content] for message in messages],
            "schema": schema,
            "sampling": asdict(sampling),
        }
    )


@dataclass(slots=True)
class _Call:
    """A call in flight and how many wait for it."""

    task: asyncio.Task[Completion]
    waiting: int = 0


class Cached(Layer):
    """Answers from the store where it can; identical questions in flight are asked once.

    A hit costs nothing: its usage counts one ``cache_hits`` and no tokens, and says apart from that
    what the answer cost when it was paid. Truncated answers and refusals are kept too, because
    they were paid for.
    """

    def __init__(
        self, inner: ChatModel, cache: CallCache, *, base_url: str = "", meter: Meter | None = None
    ) -> None:
        super().__init__(inner)
        self._cache = cache
        self._base_url = base_url
        self._meter = meter
        self._in_flight: dict[str, _Call] = {}

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once; the answer is stored before it is returned.

        Raises:
            StoreError: the answer could not be stored.
        """
        request = describe(self.name, self._base_url, messages, schema, sampling)
        while (call := self._in_flight.get(request)) and not call.task.cancelling():
            with suppress(BudgetExceeded):  # the limits of who asked first may not be ours
                return self._hit(await self._wait(call))
        key, stored = look_up(self._cache, request, decode)
        if stored is not None:
            return self._hit(stored)
        asking = self._ask(request, key, messages, schema, sampling)
        call = self._in_flight[request] = _Call(asyncio.ensure_future(asking))
        return await self._wait(call)

    async def _wait(self, call: _Call) -> Completion:
        """Wait for a call; it is cancelled only when all that wait for it are."""
        call.waiting += 1
        try:
            return await asyncio.shield(call.task)
        except asyncio.CancelledError:
            if call.waiting == 1 and not call.task.done():
                call.task.cancel()
                await asyncio.wait([call.task])
            raise
        finally:
            call.waiting -= 1

    async def _ask(
        self,
        request: str,
        key: str,
        messages: Sequence[Message],
        schema: JsonSchema | None,
        sampling: Sampling,
    ) -> Completion:
        try:
            completion = await self._inner.complete(messages, schema=schema, sampling=sampling)
            self._cache.put(
                key,
                kind="chat",
                model=self.name,
                request=request,
                answer=encode(completion),
                usage=completion.usage,
            )
            return completion
        finally:
            self._in_flight.pop(request, None)

    def _hit(self, completion: Completion) -> Completion:
        paid = completion.usage
        hit = replace(HIT, saved_tokens=paid.tokens, saved_money=paid.money)
        if self._meter is not None:
            self._meter.add(self.name, hit)
        return replace(completion, usage=hit)


def encode(completion: Completion) -> str:
    """A completion as JSON."""
    return json.dumps(asdict(completion), separators=(",", ":"), allow_nan=False)


def decode(answer: str) -> Completion | None:
    """A stored completion, or None where the row is damaged."""
    try:
        return _COMPLETION.validate_json(answer)
    except ValidationError:
        return None
