"""Keeping transformers from drawing on stderr, which would mix with our own bars."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import Any


@contextmanager
def quiet(logging: Any) -> Iterator[None]:
    """No bars inside; ``logging`` is transformers' own module of this name.

    The bar of unpacking GGUF knows no switch: it is drawn on a stderr that nobody reads.
    """
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        if shown:
            logging.enable_progress_bar()
