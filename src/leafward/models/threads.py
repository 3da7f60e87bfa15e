"""How many threads a model that runs here may take."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Cores that this process may use, busy or not."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS and Windows


def idle_threads() -> int:
    """Cores this process may use, less those that were busy over the last minute; at least 1.

    The worker threads of a model wait for each other after every operation, so one that shares
    its core holds up all of them: two threads on one free core were measured at a tenth of the
    speed of one thread.
    """
    cores = usable_cores()
    try:
        busy = round(os.getloadavg()[0])
    except (AttributeError, OSError):  # Windows has no load average
        busy = 0
    return max(1, cores - busy)
