"""The scripted model server inside a test process."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from leafward.testing.app import App
from leafward.testing.loopback import Loopback
from leafward.testing.script import Script
from leafward.testing.stats import Ledger, Stats
from leafward.testing.wire import Handler


class ScriptedServer(Loopback):
    """An OpenAI-compatible server on loopback that answers by rule; a context manager, both ways.

    Takes a :class:`Script`, or its fields as keyword arguments, or both (the latter win).
    ``port`` 0 picks a free one. Raises OSError where the port is taken.
    """

    def __init__(self, script: Script | None = None, *, port: int = 0, **fields: Any) -> None:
        super().__init__(self._make_handler, name="scripted-server", port=port)
        self._script = replace(script or Script(), **fields)
        self._ledger = Ledger()
        self._app: App | None = None

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as ``base_url``."""
        return f"http://127.0.0.1:{self.port}/v1"

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
        app = self._app
        if app is not None:
            self.call(lambda: app.play(self._script))

    def _make_handler(self) -> Handler:
        self._app = App(self._script, self._ledger)
        return self._app.handle
