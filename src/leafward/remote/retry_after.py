"""How long a server asks to wait."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, from seconds, milliseconds or an HTTP date."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * scale
        except ValueError:
            seconds = _seconds_until(value)
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _seconds_until(date: str) -> float:
    """Seconds from now to an HTTP date, 0 where it has passed, -1 where it is none."""
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return -1.0
    return max(0.0, moment.timestamp() - time.time())
