"""Retries of model calls, under the one policy of :mod:`leafward.remote.retrying`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from leafward.models.failures import Unreachable
from leafward.models.layers import Layer
from leafward.models.stop import Stop
from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.remote.retrying import retried, retried_blocking
from leafward.settings import ModelSettings
from leafward.types import Completion, JsonSchema, Message, Sampling

T = TypeVar("T")


class Retrying(Layer):
    """Tries again what may succeed, within one deadline for all attempts."""

    def __init__(
        self, inner: ChatModel, settings: ModelSettings, *, stop: Stop | None = None
    ) -> None:
        super().__init__(inner)
        self._settings = settings
        self._stop = stop or Stop()

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once, after as many attempts as the deadline allows.

        Raises:
            ModelError: the last failure.
        """
        return await retried(
            lambda: self._inner.complete(messages, schema=schema, sampling=sampling),
            self._settings,
            self._stop,
            unreachable=Unreachable,
        )


def retry_blocking(call: Callable[[], T], settings: ModelSettings, stop: Stop) -> T:
    """Call under the same policy in a thread; ``call`` finds its deadline as current.

    Raises:
        ModelError: the last failure.
        Interrupted: the user asked to stop.
    """
    return retried_blocking(call, settings, stop, unreachable=Unreachable)
