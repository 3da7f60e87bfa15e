"""Starts the scripted server as a process of its own, for clients that get killed."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from leafward.errors import ModelUnavailable
from leafward.testing.stats import Stats


class ScriptedProcess:
    """A scripted server in its own process; a context manager.

    ``script`` is a JSON file, or what stands in one (see :func:`leafward.testing.read_script`).
    The process ends with the context, and at the latest with the process that started it.
    """

    def __init__(self, script: Path | Mapping[str, Any], *, port: int = 0) -> None:
        self._script = script
        self._port = port
        self._process: subprocess.Popen[str] | None = None
        self.base_url = ""

    def start(self) -> Self:
        """Start and wait until it listens; ModelUnavailable where it says why it cannot."""
        with tempfile.TemporaryDirectory() as folder:
            if isinstance(self._script, Path):
                path = self._script
            else:
                path = Path(folder) / "script.json"
                path.write_text(json.dumps(self._script), encoding="utf-8")
            command = [sys.executable, "-m", "leafward.testing.server", "--until-eof"]
            command += ["--port", str(self._port), "--rules", str(path)]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8"
            )
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
        if not line:
            said = self._process.communicate()[1].strip()
            self._process = None
            raise ModelUnavailable(f"the scripted server did not start: {said}", hint=said)
        self.base_url = str(json.loads(line)["base_url"])
        return self

    def stop(self) -> None:
        """End the process; harmless where it has ended."""
        if self._process is not None:
            self._process.communicate()  # closes its stdin, on which it ends
            self._process = None

    def stats(self) -> Stats:
        """The counts so far, from ``GET /stats``."""
        url = self.base_url.removesuffix("/v1") + "/stats"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return Stats.from_json(json.load(answer))

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
