"""Finding packaged weights in the user's cache, checked against the pinned digests."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

from leafward.errors import SettingsError, WeightsError
from leafward.models.packaged import MODELS, ModelFile, PackagedModel
from leafward.remote.places import cache_folder

__all__ = ["MODELS", "check_file", "default_cache_dir", "find", "packaged_model"]

_BLOCK = 1 << 20


def packaged_model(name: str) -> PackagedModel:
    """The packaged model of this name; raises SettingsError that lists the names there are."""
    try:
        return MODELS[name]
    except KeyError:
        raise SettingsError(
            f"there is no packaged model {name!r}", hint=f"one of: {', '.join(MODELS)}"
        ) from None


def default_cache_dir() -> Path:
    """Where weights are kept unless a setting says otherwise: below the user's cache folder."""
    return cache_folder() / "models"


def find(name: str, *, cache_dir: Path | None = None) -> Path:
    """The folder that holds every file of a packaged model, each complete and checked.

    A file is hashed once; later calls compare size and modification time with a note beside it.

    Raises:
        SettingsError: no model has this name.
        WeightsError: a file is missing, or is not the one whose checksum is pinned.
    """
    model = packaged_model(name)
    folder = (cache_dir or default_cache_dir()) / name
    for file in model.files:
        check_file(file, folder / file.name, model=name)
    return folder


def check_file(file: ModelFile, path: Path, *, model: str) -> None:
    """Raise WeightsError unless ``path`` holds exactly this file."""
    hint = f"leafward models pull {model}"
    if not path.is_file():
        raise WeightsError(f"the weights of {model} are not here: {path} is missing", hint=hint)
    size = path.stat().st_size
    if size != file.size:
        raise WeightsError(f"{path} has {size:,} bytes instead of {file.size:,}", hint=hint)
    if _noted(path) == file.sha256:
        return
    digest = _digest(path)
    if digest != file.sha256:
        raise WeightsError(
            f"{path} is not the pinned file: SHA-256 {digest} instead of {file.sha256}", hint=hint
        )
    note(path, digest)


def note(path: Path, digest: str) -> None:
    """Remember that this file, at its present size and time, has this digest."""
    stat = path.stat()
    entry = {"sha256": digest, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    # A cache that we may only read stays usable: the file is then hashed at every start.
    with contextlib.suppress(OSError):
        draft.write_text(json.dumps(entry), encoding="utf-8")
        draft.replace(_note_path(path))


def _noted(path: Path) -> str | None:
    """The digest noted for the file as it is now, or None."""
    try:
        entry = json.loads(_note_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no note, or a broken one: hash the file again
        return None
    stat = path.stat()
    if not isinstance(entry, dict):
        return None
    if (entry.get("size"), entry.get("mtime_ns")) != (stat.st_size, stat.st_mtime_ns):
        return None
    digest = entry.get("sha256")
    return digest if isinstance(digest, str) else None


def _note_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
