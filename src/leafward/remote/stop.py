"""Stopping at the user's wish: what is in flight ends, nothing new begins."""

from __future__ import annotations

import asyncio
import threading

from leafward.errors import Interrupted

_SLICE = 0.1  # seconds: how soon a wait notices the wish


class Stop:
    """A wish to stop; may be expressed from a signal handler or another thread."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """From now on every new call raises :class:`Interrupted`."""
        self._event.set()

    def clear(self) -> None:
        """Take the wish back, when all that it was meant for has ended."""
        self._event.clear()

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        """Raise :class:`Interrupted` where the user wishes to stop."""
        if self._event.is_set():
            raise Interrupted(
                "stopped before the next call",
                hint="every answer so far is saved; run the same command again to go on",
            )

    async def sleep(self, seconds: float) -> None:
        """Wait, unless the user wishes to stop: then raise :class:`Interrupted` at once."""
        self.check()
        while seconds > 0:
            await asyncio.sleep(min(seconds, _SLICE))
            seconds -= _SLICE
            self.check()

    def sleep_blocking(self, seconds: float) -> None:
        """:meth:`sleep` for threads."""
        self._event.wait(max(0.0, seconds))
        self.check()
