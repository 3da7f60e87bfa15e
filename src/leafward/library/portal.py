"""Calling async code from sync code: one event loop in a thread of its own."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

Result = TypeVar("Result")


class Portal:
    """Runs coroutines on an event loop that lives as long as this object.

    Model clients keep their connections between calls, and calls that outlive a search (after a
    deadline) still end and are stored. The first Ctrl-C calls ``on_interrupt`` and goes on waiting
    for what is in flight, then calls ``on_resume``; a second one is raised at once.
    """

    def __init__(
        self,
        *,
        on_interrupt: Callable[[], None] = lambda: None,
        on_resume: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_interrupt = on_interrupt
        self._on_resume = on_resume
        self._context: AbstractContextManager[BlockingPortal] | None = None
        self._portal: BlockingPortal | None = None
        self._lock = threading.Lock()

    def call(self, function: Callable[[], Awaitable[Result]]) -> Result:
        """Run an async function to its end and return its result."""
        future = self._open().start_task_soon(function)
        try:
            return future.result()
        except KeyboardInterrupt:
            self._on_interrupt()
            try:
                return future.result()
            finally:
                if future.done():  # not so after a second Ctrl-C
                    self._on_resume()

    def close(self) -> None:
        """Stop the loop; tasks that still run are cancelled."""
        if self._context is not None:
            atexit.unregister(self.close)
            self._context.__exit__(None, None, None)
        self._context = self._portal = None

    def _open(self) -> BlockingPortal:
        from anyio.from_thread import start_blocking_portal

        with self._lock:  # the first calls may come from several threads
            if self._portal is None:
                context = start_blocking_portal("asyncio")
                self._portal = context.__enter__()
                self._context = context
                # Left open, it would be finalised after its thread was frozen, and wait for it
                # forever.
                atexit.register(self.close)
            return self._portal
