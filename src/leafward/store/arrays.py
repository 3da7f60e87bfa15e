"""What must hold of a generation's derived files, whatever their checksums say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from leafward.errors import IndexDamaged
from leafward.protocols import Vectors
from leafward.store.files import LEXICAL, NODE_VECTORS, VECTORS

_BLOCK = 8192
_UNIT_ERROR = 1e-3
"""How far a float32 row's length may be from 1."""


def derived_problems(folder: Path, leaves: int, nodes: int) -> list[str]:
    """Every derived file that is missing, unreadable or of the wrong shape, as one sentence."""
    problems = []
    for name, rows in ((VECTORS, leaves), (NODE_VECTORS, nodes)):
        problems += [f"{name} {problem}" for problem in _array_problems(folder / name, rows)]
    if _empty(folder / LEXICAL):
        problems.append(f"the lexical index {LEXICAL}/ is missing or empty")
    return problems


def _empty(folder: Path) -> bool:
    """Whether a folder holds nothing or is none; a publication may remove it at any moment."""
    try:
        return not any(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return True


def load(path: Path) -> Vectors:
    """Map an array read-only.

    Raises:
        FileNotFoundError: there is none.
        IndexDamaged: it cannot be read; the message says why, and not which.
    """
    try:
        array: Vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise IndexDamaged(
            f"cannot be read: {error}", hint="run `leafward verify` on the index"
        ) from error
    return array


def _array_problems(path: Path, rows: int) -> Iterator[str]:
    try:
        array = load(path)
    except FileNotFoundError:
        yield "is missing"
        return
    except IndexDamaged as error:
        yield error.message
        return
    if array.dtype != np.float32 or array.ndim != 2:
        yield f"holds {array.dtype} of {array.ndim} dimensions, not float32 of 2"
    elif len(array) != rows:
        yield f"has {len(array)} rows, not {rows}"
    elif wrong := _not_unit(array):
        yield f"has {wrong} rows that are not of length 1"


def _not_unit(array: Vectors) -> int:
    """Count rows whose length is not 1, block by block; NaN counts as wrong."""
    wrong = 0
    for start in range(0, len(array), _BLOCK):
        block = np.asarray(array[start : start + _BLOCK], dtype=np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        wrong += int(np.count_nonzero(~(np.abs(lengths - 1.0) < _UNIT_ERROR)))
    return wrong
