"""What the wrappers around a chat model share: they pass on its name, its size and its closing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.types import Completion, JsonSchema, Message, Sampling


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
