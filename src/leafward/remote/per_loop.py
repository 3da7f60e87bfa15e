"""What belongs to one event loop."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


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
