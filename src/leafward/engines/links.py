"""Opening a lexical index where nothing can be written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def links_to(folder: Path) -> Path | None:
    """A temporary folder of links to a folder where tantivy could not make its lock file."""
    if os.access(folder, os.W_OK) or not folder.is_dir():
        return None
    links = Path(tempfile.mkdtemp(prefix="leafward-"))
    for path in folder.iterdir():
        if path.suffix != ".lock":
            (links / path.name).symlink_to(path.absolute())
    return links
