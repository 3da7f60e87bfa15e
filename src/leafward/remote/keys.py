"""What decides an answer, as a key, and finding an answer by it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TypeVar

from leafward.protocols import CallCache

T = TypeVar("T")

_KEYS = 3  # tried in turn: a cache keeps the first answer to a key even where it is damaged


def canonical(value: object) -> str:
    """JSON with sorted keys and without spaces: equal values give equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def content_key(request: str, nth: int = 0) -> str:
    """SHA-256 of a request; the ``nth`` key serves where the ones before hold damaged answers."""
    return hashlib.sha256(f"{nth}\n{request}".encode() if nth else request.encode()).hexdigest()


def look_up(
    cache: CallCache, request: str, decode: Callable[[str], T | None]
) -> tuple[str, T | None]:
    """The stored answer to a request, or the first key under which one can still be stored.

    ``decode`` gives None for a damaged answer, which is passed over as if it were not there.
    """
    key = content_key(request)
    for nth in range(_KEYS):
        key = content_key(request, nth)
        answer = cache.get(key)
        if answer is None:
            return key, None
        value = decode(answer)
        if value is not None:
            return key, value
    return key, None
