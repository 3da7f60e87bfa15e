"""Result files: written all or nothing, JSON read whole."""

from __future__ import annotations

import gzip
import json
import os
import secrets
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from leafward.errors import CorpusError


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines (without their ends) as UTF-8; an older file stays until the new one is whole.

    Folders on the way are made. The file is on the disk when this returns.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.parent / f".{secrets.token_hex(8)}.part"
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def read_json(path: Path) -> Any:
    """A whole JSON file, plain or ``.gz``.

    Raises:
        CorpusError: it cannot be read, or is no JSON.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            return json.load(file)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise CorpusError(
            f"cannot be read as JSON: {error}",
            path=path,
            hint="check the spelling, and that the file is complete",
        ) from error
