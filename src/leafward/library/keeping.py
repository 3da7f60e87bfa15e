"""Answers that belong to no index, kept in the user's cache folder."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

from leafward.errors import StoreError
from leafward.remote.places import cache_folder
from leafward.settings import Settings
from leafward.store import CallCache

logger = logging.getLogger("leafward.library")


def keep_calls(settings: Settings, name: str, *, days: float, what: str) -> CallCache | None:
    """A file of the cache folder as a cache, older answers taken out; None where none can be kept.

    Args:
        what: whose answers they are, for the warning that they are not kept.
    """
    folder = cache_folder() if settings.cache_dir is None else settings.cache_dir
    cache = CallCache(Path(folder) / name)
    try:
        cache.clear(older_than=timedelta(days=days))
    except (StoreError, OSError) as error:
        logger.warning("what %s answer is not kept: %s", what, error)
        cache.close()
        return None
    return cache
