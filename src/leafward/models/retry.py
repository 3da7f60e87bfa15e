"""The one retry policy: what is retried, how long it waits, when it gives up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from leafward.errors import LeafwardError, RateLimited
from leafward.models.deadline import Deadline, under
from leafward.models.failures import Unreachable
from leafward.models.layers import Layer
from leafward.models.stop import Stop
from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.settings import ModelSettings
from leafward.types import Completion, JsonSchema, Message, Sampling

T = TypeVar("T")

_LONGEST_BACKOFF = 15.0  # seconds
_UNREACHABLE_PATIENCE = 15.0  # seconds: a server that restarts, not one that was never started
_LEAST_ATTEMPT = 0.05  # share of the deadline that an attempt needs to be worth making


class _Patience:
    """Decides, for one call, whether a failure is tried again and after how long."""

    def __init__(self, settings: ModelSettings, deadline: Deadline) -> None:
        self._settings = settings
        self._deadline = deadline
        self.wait = 0.0
        """Seconds that a provider asked for, to be slept before the next attempt."""

    def decide(self, error: Exception) -> bool | float:
        """What stamina asks after a failure: True backs off, 0.0 goes on at once, False ends."""
        self.wait = 0.0
        if not isinstance(error, LeafwardError) or not error.retryable:
            return False
        if isinstance(error, Unreachable) and self._deadline.used > _UNREACHABLE_PATIENCE:
            return False
        asked = error.retry_after if isinstance(error, RateLimited) else None
        wait = min(asked or 0.0, self._settings.max_retry_after)
        if self._deadline.left - wait < self._settings.total_deadline * _LEAST_ATTEMPT:
            return False
        self.wait = wait
        return 0.0 if wait > 0 else True

    def options(self) -> dict[str, float]:
        return {
            "wait_initial": self._settings.retry_wait,
            "wait_max": _LONGEST_BACKOFF,
            "wait_jitter": self._settings.retry_wait,
        }


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
        import stamina

        _keep_quiet()
        with under(Deadline(self._settings.total_deadline)) as deadline:
            patience = _Patience(self._settings, deadline)
            async for attempt in stamina.retry_context(
                on=patience.decide, attempts=None, timeout=None, **patience.options()
            ):
                with attempt:
                    # Not stamina's own sleep: a long Retry-After must not delay Ctrl-C.
                    await self._stop.sleep(patience.wait)
                    return await self._inner.complete(messages, schema=schema, sampling=sampling)
        raise AssertionError("stamina ends with an answer or an error")


def retry_blocking(call: Callable[[], T], settings: ModelSettings, stop: Stop) -> T:
    """Call under the same policy in a thread; ``call`` finds its deadline as current.

    Raises:
        ModelError: the last failure.
        Interrupted: the user asked to stop.
    """
    import stamina

    _keep_quiet()
    with under(Deadline(settings.total_deadline)) as deadline:
        patience = _Patience(settings, deadline)
        for attempt in stamina.retry_context(
            on=patience.decide, attempts=None, timeout=None, **patience.options()
        ):
            with attempt:
                stop.sleep_blocking(patience.wait)
                return call()
    raise AssertionError("stamina ends with an answer or an error")


@cache
def _keep_quiet() -> None:
    """Keep stamina's log off the terminal unless the user has set up logging."""
    logging.getLogger("stamina").addHandler(logging.NullHandler())
