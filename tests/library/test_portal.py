from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from leafward.library.portal import Portal


def test_one_loop_for_all_calls() -> None:
    async def loop() -> int:
        return id(asyncio.get_running_loop())

    portal = Portal()
    try:
        assert portal.call(loop) == portal.call(loop)
    finally:
        portal.close()


def test_errors_come_through() -> None:
    async def fail() -> None:
        raise ValueError("broken")

    portal = Portal()
    with pytest.raises(ValueError, match="broken"):
        portal.call(fail)
    portal.close()
    portal.close()  # a second time is harmless


def test_tasks_outlive_the_call_that_started_them() -> None:
    done: list[int] = []

    async def later() -> None:
        await asyncio.sleep(0.02)
        done.append(1)

    tasks: list[asyncio.Task[None]] = []

    async def start() -> None:
        tasks.append(asyncio.ensure_future(later()))

    async def wait() -> None:
        await asyncio.wait(tasks)

    portal = Portal()
    portal.call(start)
    portal.call(wait)
    portal.close()
    assert done == [1]


def test_a_portal_left_open_does_not_keep_the_interpreter() -> None:
    code = (
        "import asyncio; from leafward.library.portal import Portal;"
        "portal = Portal(); portal.call(lambda: asyncio.sleep(0))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert done.returncode == 0
