"""Keeping transformers from drawing bars, which would mix with ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def quiet(logging: Any) -> Iterator[None]:
    """No bars inside; ``logging`` is transformers' own module of this name."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
