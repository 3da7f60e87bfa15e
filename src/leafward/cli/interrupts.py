"""Ctrl-C once: finish what is in flight and save. Twice: at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from leafward.cli.exits import Exit


@contextmanager
def graceful(
    stop: Callable[[], None], *, restore: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """While this is open, the first Ctrl-C calls ``stop`` and the second ends the process.

    The second needs no clean-up beyond ``restore`` (which gives the terminal back): every answer
    is on the disk before it is used, and an unfinished build is invisible. A plain signal handler
    and not the event loop's, because it must also run while the loop is busy computing.
    """
    asked = False

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            restore()
            os._exit(Exit.INTERRUPTED)
        asked = True
        stop()
        sys.stderr.write(
            "\nstopping: finishing the calls in flight (Ctrl-C again to stop at once)\n"
        )
        sys.stderr.flush()

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread gets signals; an embedding program keeps its own handling
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
