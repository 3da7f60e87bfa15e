"""How long a call with all its retries may still take, known to every layer below."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Clock = Callable[[], float]

_LEAST_ATTEMPT = 0.1  # seconds, however little is left


class Deadline:
    """Seconds left for one call; waiting for our own limits does not count."""

    def __init__(self, seconds: float, *, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._end = self._started + seconds

    @property
    def left(self) -> float:
        return self._end - self._clock()

    @property
    def used(self) -> float:
        return self._clock() - self._started

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Move the deadline by the time that is spent inside."""
        began = self._clock()
        try:
            yield
        finally:
            waited = self._clock() - began
            self._started += waited
            self._end += waited


_CURRENT: ContextVar[Deadline | None] = ContextVar("leafward_deadline", default=None)


def current_deadline() -> Deadline | None:
    """The deadline of the call that is being made here, if it has one."""
    return _CURRENT.get()


@contextmanager
def under(deadline: Deadline) -> Iterator[Deadline]:
    """Make a deadline current inside."""
    token = _CURRENT.set(deadline)
    try:
        yield deadline
    finally:
        _CURRENT.reset(token)


def attempt_seconds(timeout: float) -> float:
    """How long one attempt may take: its own timeout, or what is left of the call's deadline."""
    deadline = current_deadline()
    left = timeout if deadline is None else deadline.left
    return max(_LEAST_ATTEMPT, min(left, timeout))
