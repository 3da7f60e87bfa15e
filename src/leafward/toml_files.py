"""Files that people write in TOML: read, and explained where something is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from leafward.errors import SettingsError


def read_toml(path: Path, *, what: str, example: str) -> dict[str, Any]:
    """Parse a file; ``what`` it is and an ``example`` of one are for whoever names a wrong path.

    Raises:
        SettingsError: the file is missing, unreadable or no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SettingsError(f"there is no {what} {path}", hint=f"{example} is one") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} is no TOML: {error}", hint="correct this line") from error


def explained(error: ValidationError, path: Path, *, page: str) -> SettingsError:
    """The first fault that pydantic found in a file, with its place; ``page`` tells about it."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "[key]")
    message = first["msg"].removeprefix("Value error, ")
    return SettingsError(
        f"{path}: {where}: {message}" if where else f"{path}: {message}",
        hint=f"{page} describes the file",
    )
