"""Derived files of a generation: made durable, listed with checksums, removed."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

VECTORS = "vectors.npy"
NODE_VECTORS = "node_vectors.npy"
LEXICAL = "lexical"
GENERATIONS = "generations"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A derived file; ``path`` is relative to its generation's folder, with forward slashes."""

    path: str
    bytes: int
    sha256: str


def seal(folder: Path) -> list[FileRecord]:
    """Force every file under a folder to the disk, and list them with their checksums."""
    records = []
    for path in contents(folder):
        with path.open("rb") as file:
            os.fsync(file.fileno())
        name = path.relative_to(folder).as_posix()
        records.append(FileRecord(name, path.stat().st_size, checksum(path)))
    for directory in (*(path for path in folder.rglob("*") if path.is_dir()), folder):
        sync_directory(directory)
    sync_directory(folder.parent)
    sync_directory(folder.parent.parent)
    return records


def contents(folder: Path) -> Iterator[Path]:
    """Files under a folder in order of their names; lock files come and go and are left out."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".lock":
            yield path


def checksum(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_except(root: Path, keep: set[int]) -> None:
    """Remove the folders of generations that are not in ``keep``."""
    folders = root / GENERATIONS
    if not folders.is_dir():
        return
    for folder in folders.iterdir():
        if folder.name.isdigit() and int(folder.name) not in keep:
            shutil.rmtree(folder)
