"""A server on loopback inside a test process: its own thread, its own event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from leafward.testing.wire import Connection, Handler


class Loopback:
    """Listens on 127.0.0.1 and hands every request to a handler; a context manager, both ways.

    Args:
        handler: made anew, inside the server's event loop, at every start.
        port: 0 picks a free one. :meth:`start` raises OSError where it is taken.
    """

    def __init__(self, handler: Callable[[], Handler], *, name: str, port: int = 0) -> None:
        self.port = port
        self._handler = handler
        self._name = name
        self._ready = threading.Event()
        self._failure: OSError | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None

    def start(self) -> Self:
        """Listen; returns when requests are answered."""
        self._ready.clear()
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self

    def stop(self) -> None:
        """Close every connection and end the thread; harmless where it has ended."""
        if self._loop is not None and self._stop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def call(self, function: Callable[[], None]) -> None:
        """Run a function in the server's event loop and wait for its end; nothing where it is not
        running."""
        if self._loop is None or self._loop.is_closed():
            return
        done = threading.Event()

        def run() -> None:
            try:
                function()
            finally:
                done.set()

        self._loop.call_soon_threadsafe(run)
        done.wait()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        handle = self._handler()
        connections: set[Connection] = set()
        try:
            server = await self._loop.create_server(
                lambda: Connection(handle, connections), "127.0.0.1", self.port, backlog=1024
            )
        except OSError as error:
            self._failure = error
            return
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for connection in tuple(connections):
            connection.abort()
        await server.wait_closed()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.start)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.stop)
