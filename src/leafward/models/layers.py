"""What the wrappers around a chat model share: they pass on its name, its size and its closing."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar, runtime_checkable

from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.types import Completion, JsonSchema, Message, Sampling

T = TypeVar("T")


class OpenChat(ChatModel, Protocol):
    """A chat model that holds connections or memory until it is closed."""

    async def aclose(self) -> None: ...


@runtime_checkable
class _AsyncClosable(Protocol):
    async def aclose(self) -> None: ...


@runtime_checkable
class _Closable(Protocol):
    def close(self) -> None: ...


class Layer:
    """A chat model around another one, which adds one concern to it."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def context_tokens(self) -> int:
        return self._inner.context_tokens

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once, as :meth:`ChatModel.complete` says."""
        return await self._inner.complete(messages, schema=schema, sampling=sampling)

    async def aclose(self) -> None:
        """Close what the innermost model holds."""
        if isinstance(self._inner, _AsyncClosable):
            await self._inner.aclose()
        elif isinstance(self._inner, _Closable):
            self._inner.close()


class PerLoop(Generic[T]):
    """A value that belongs to an event loop, made anew where another loop runs.

    Connections and semaphores cannot change loops, but one model may be used by several
    ``asyncio.run`` in turn.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._loop: weakref.ref[asyncio.AbstractEventLoop] | None = None
        self._value: T | None = None

    def get(self) -> T:
        """The value of the running loop."""
        loop = asyncio.get_running_loop()
        if self._value is None or self._loop is None or self._loop() is not loop:
            self._value, self._loop = self._make(), weakref.ref(loop)
        return self._value

    def pop(self) -> T | None:
        """Forget the value and hand it over for closing; None where this loop has none."""
        ours = self._loop is not None and self._loop() is asyncio.get_running_loop()
        value, self._value, self._loop = self._value, None, None
        return value if ours else None
