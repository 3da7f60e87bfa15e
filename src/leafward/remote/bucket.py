"""A rate that is kept."""

from __future__ import annotations

import time

from leafward.remote.deadline import Clock

_BURST = 1 / 12  # of a minute's allowance may be used at once

_EPSILON = 1e-6  # what rounding may leave lacking after a wait


class Bucket:
    """A token bucket: refills at a rate per minute, holds a burst, may go into debt.

    An amount larger than the burst waits for a full bucket and takes the rest on credit, so that
    any window of a minute sees at most the rate, the burst and one such amount.

    Args:
        burst: what may be used at once; a twelfth of a minute's allowance where it is not given.
    """

    def __init__(
        self, per_minute: float, *, burst: float | None = None, clock: Clock = time.monotonic
    ) -> None:
        self._rate = per_minute / 60
        self._most = max(1.0, per_minute * _BURST if burst is None else burst)
        self._level = self._most
        self._clock = clock
        self._seen = clock()

    def wait(self, amount: float) -> float:
        """Seconds until this amount may be taken."""
        self._refill()
        lacking = min(amount, self._most) - self._level
        return lacking / self._rate if lacking > _EPSILON else 0.0

    def take(self, amount: float) -> None:
        """Take an amount; a negative one gives back."""
        self._refill()
        self._level = min(self._most, self._level - amount)

    def _refill(self) -> None:
        now = self._clock()
        self._level = min(self._most, self._level + (now - self._seen) * self._rate)
        self._seen = now
