"""Stopping at the user's wish: what is in flight ends, nothing new begins."""

from __future__ import annotations

from collections.abc import Sequence

from leafward.models.layers import Layer
from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.remote.stop import Stop
from leafward.types import Completion, JsonSchema, Message, Sampling

__all__ = ["Stop", "Stoppable"]


class Stoppable(Layer):
    """Makes no call once a stop is wished for."""

    def __init__(self, inner: ChatModel, stop: Stop) -> None:
        super().__init__(inner)
        self._stop = stop

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once.

        Raises:
            Interrupted: the user asked to stop, and the call was not made.
        """
        self._stop.check()
        return await self._inner.complete(messages, schema=schema, sampling=sampling)
