"""Where what was fetched is kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Our folder below the user's cache folder.

    ``$XDG_CACHE_HOME`` wins; then ``~/.cache``, ``~/Library/Caches`` or ``%LOCALAPPDATA%``.
    """
    named = os.environ.get("XDG_CACHE_HOME", "")
    if named and Path(named).is_absolute():  # the XDG specification ignores relative paths
        base = Path(named)
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        base = Path.home() / ".cache"
    return base / "leafward"
