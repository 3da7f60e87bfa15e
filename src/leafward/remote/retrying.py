"""The one retry policy: what is retried, how long it waits, when it gives up."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Protocol, TypeVar

from leafward.errors import LeafwardError
from leafward.remote.deadline import Deadline, under
from leafward.remote.stop import Stop

T = TypeVar("T")

_LONGEST_BACKOFF = 15.0  # seconds
_UNREACHABLE_PATIENCE = 15.0  # seconds: a server that restarts, not one that was never started
_LEAST_ATTEMPT = 0.05  # share of the deadline that an attempt needs to be worth making


class RetrySettings(Protocol):
    """The settings of a policy, in seconds."""

    @property
    def total_deadline(self) -> float:
        """For a call with all its attempts."""

    @property
    def retry_wait(self) -> float:
        """Before the first retry; doubles, with jitter."""

    @property
    def max_retry_after(self) -> float:
        """The longest wait asked for by a server that is honoured."""


class Patience:
    """Decides, for one call, whether a failure is tried again and after how long.

    Args:
        unreachable: errors of a server to which no connection could be made.
    """

    def __init__(
        self, settings: RetrySettings, deadline: Deadline, unreachable: type[LeafwardError]
    ) -> None:
        self._settings = settings
        self._deadline = deadline
        self._unreachable = unreachable
        self.wait = 0.0
        """Seconds that a server asked for, to be slept before the next attempt."""

    def decide(self, error: Exception) -> bool | float:
        """What stamina asks after a failure: True backs off, 0.0 goes on at once, False ends."""
        self.wait = 0.0
        if not isinstance(error, LeafwardError) or not error.retryable:
            return False
        if isinstance(error, self._unreachable) and self._deadline.used > _UNREACHABLE_PATIENCE:
            return False
        asked: float | None = getattr(error, "retry_after", None)
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


async def retried(
    call: Callable[[], Awaitable[T]],
    settings: RetrySettings,
    stop: Stop,
    *,
    unreachable: type[LeafwardError],
) -> T:
    """Call until it succeeds or the deadline ends it; ``call`` finds its deadline as current.

    Raises:
        LeafwardError: the last failure.
        Interrupted: the user asked to stop.
    """
    import stamina

    _keep_quiet()
    with under(Deadline(settings.total_deadline)) as deadline:
        patience = Patience(settings, deadline, unreachable)
        async for attempt in stamina.retry_context(
            on=patience.decide, attempts=None, timeout=None, **patience.options()
        ):
            with attempt:
                # Not stamina's own sleep: a long Retry-After must not delay Ctrl-C.
                await stop.sleep(patience.wait)
                return await call()
    raise AssertionError("stamina ends with an answer or an error")


def retried_blocking(
    call: Callable[[], T],
    settings: RetrySettings,
    stop: Stop,
    *,
    unreachable: type[LeafwardError],
) -> T:
    """:func:`retried` for threads."""
    import stamina

    _keep_quiet()
    with under(Deadline(settings.total_deadline)) as deadline:
        patience = Patience(settings, deadline, unreachable)
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
