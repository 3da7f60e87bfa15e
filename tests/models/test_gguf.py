"""What a GGUF file says about itself, and files that lie."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.errors import WeightsError
from leafward.models.gguf import GgufInfo, read_info

U32, STRING, ARRAY = 4, 8, 9


def string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key: str, kind: int, value: bytes) -> bytes:
    return string(key) + struct.pack("<I", kind) + value


def gguf(*pairs: bytes) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs)


ARCHITECTURE = pair("general.architecture", STRING, string("llama"))
CONTEXT = pair("llama.context_length", U32, struct.pack("<I", 2048))
NUMBERS = pair("llama.sizes", ARRAY, struct.pack("<IQ3I", U32, 3, 1, 2, 3))
WORDS = pair("tokens", ARRAY, struct.pack("<IQ", STRING, 2) + string("a") + string("bc"))
FLAG = pair("general.flag", 7, b"\x01")
WHOLE = gguf(NUMBERS, ARCHITECTURE, FLAG, WORDS, CONTEXT)


def test_arrays_and_other_values_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(WHOLE)
    assert read_info(path) == GgufInfo("llama", 2048)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 not a model",
        gguf(ARCHITECTURE),
        gguf(pair("general.architecture", 99, b"")),
        gguf(pair("x", ARRAY, struct.pack("<IQ", 77, 1))),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 60),
        gguf(pair("general.architecture", STRING, struct.pack("<Q", 1) + b"\xff")),
    ],
)
def test_what_is_no_model_is_named_with_a_hint(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    with pytest.raises(WeightsError, match=r"model\.gguf is not a usable GGUF file") as raised:
        read_info(path)
    assert "leafward models" in raised.value.hint


@given(end=st.integers(0, len(WHOLE) - 1))
def test_a_file_cut_anywhere_is_refused(tmp_path_factory: pytest.TempPathFactory, end: int) -> None:
    path = tmp_path_factory.mktemp("cut") / "model.gguf"
    path.write_bytes(WHOLE[:end])
    with pytest.raises(WeightsError):
        read_info(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"cannot read the model file .*none\.gguf"):
        read_info(tmp_path / "none.gguf")
