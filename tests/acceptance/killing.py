"""Starts builds in processes of their own, and kills them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]


class Builds:
    """One build after the other, each in a process of its own; a context manager.

    ``job`` holds ``source`` and ``settings`` of all of them.
    """

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self._running = 0
        self._forker = subprocess.Popen(
            [sys.executable, "-m", "tests.acceptance.forking"],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._read()

    def start(self, index: Path, *, force: bool = False) -> None:
        """Start a build; end it by :meth:`kill` or :meth:`wait` before the next one."""
        self._write(json.dumps({**self.job, "index": str(index), "force": force}))
        self._running = int(self._read())

    def kill(self) -> bool:
        """``kill -9`` the build; False where it had ended already, which must have gone well."""
        os.kill(self._running, signal.SIGKILL)
        return self._ended() == signal.SIGKILL

    def wait(self) -> None:
        """Wait for the build to end, which must go well."""
        assert self._ended() == 0

    def _ended(self) -> int:
        self._write("")
        status = int(self._read())
        if os.WIFSIGNALED(status):
            return os.WTERMSIG(status)
        assert status == 0, "the build failed; its traceback is above"
        return 0

    def _write(self, line: str) -> None:
        assert self._forker.stdin is not None
        self._forker.stdin.write(line + "\n")
        self._forker.stdin.flush()

    def _read(self) -> str:
        assert self._forker.stdout is not None
        line = self._forker.stdout.readline()
        if not line:
            raise AssertionError(self._forker.communicate()[1])
        return line.strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        said = self._forker.communicate()[1]  # closes its stdin, on which it ends
        if said:
            print(said, file=sys.stderr)
        if kind is None:
            assert said == ""


def environment() -> dict[str, str]:
    """For a program of this checkout, with nothing of the user's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEAFWARD_")}
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    return {**kept, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
