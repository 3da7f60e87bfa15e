"""The scripted server inside a test process: its own thread, its own event loop."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from leafward.testing.app import App
from leafward.testing.script import Script
from leafward.testing.stats import Ledger, Stats
from leafward.testing.wire import Connection


class ScriptedServer:
    """An OpenAI-compatible server on loopback that answers by rule; a context manager, both ways.

    Takes a :class:`Script`, or its fields as keyword arguments, or both (the latter win).
    ``port`` 0 picks a free one. Raises OSError where the port is taken.
    """

    def __init__(self, script: Script | None = None, *, port: int = 0, **fields: Any) -> None:
        self._script = replace(script or Script(), **fields)
        self._port = port
        self._ledger = Ledger()
        self._ready = threading.Event()
        self._failure: OSError | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._app: App | None = None

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as ``base_url``."""
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> Self:
        """Listen; returns when requests are answered."""
        self._ready.clear()
        self._thread = threading.Thread(target=self._run, name="scripted-server", daemon=True)
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

    def stats(self) -> Stats:
        """A copy of the counts so far; from any thread, also after the end."""
        return self._ledger.snapshot()

    def reset(self) -> None:
        """Start counting anew, attempts included; faults keep their schedule."""
        self._ledger.reset()

    def wait(self, requests: int, timeout: float = 30.0) -> bool:
        """Block until so many requests have arrived; False where the timeout came first."""
        return self._ledger.wait(requests, timeout)

    def change(self, **fields: Any) -> None:
        """Change fields of the script for the requests that come from now on."""
        self._script = replace(self._script, **fields)
        if self._loop is None or self._app is None:
            return
        done = threading.Event()

        def play(app: App) -> None:
            app.play(self._script)
            done.set()

        self._loop.call_soon_threadsafe(play, self._app)
        done.wait()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        app = self._app = App(self._script, self._ledger)
        connections: set[Connection] = set()
        try:
            server = await self._loop.create_server(
                lambda: Connection(app.handle, connections), "127.0.0.1", self._port, backlog=1024
            )
        except OSError as error:
            self._failure = error
            return
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for connection in tuple(connections):
            connection.abort()
        await server.wait_closed()
        self._app = None

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
