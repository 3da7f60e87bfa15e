"""Arrays that grow at their end, so that nothing is converted from lists at every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", np.int64, np.float64)


class Growing(Generic[Scalar]):
    """A one-dimensional array with room to spare; ``view`` is what was appended so far."""

    def __init__(self, kind: type[Scalar]) -> None:
        self._room: npt.NDArray[Scalar] = np.empty(256, dtype=kind)
        self._size = 0

    @property
    def view(self) -> npt.NDArray[Scalar]:
        """The appended values; valid until the next append."""
        view: npt.NDArray[Scalar] = self._room[: self._size]
        return view

    def __len__(self) -> int:
        return self._size

    def append(self, value: float) -> None:
        """Append one value."""
        self.extend([value])

    def extend(self, values: Sequence[float] | npt.NDArray[Scalar]) -> None:
        """Append values, doubling the room where it ends."""
        end = self._size + len(values)
        if end > len(self._room):
            self._room = np.concatenate((self.view, np.empty(end, dtype=self._room.dtype)))
        self._room[self._size : end] = values
        self._size = end


Kind = TypeVar("Kind", bound=np.generic)


def grown(array: npt.NDArray[Kind], *shape: int) -> npt.NDArray[Kind]:
    """The array in the first corner of a larger one, with zeros around it."""
    larger = np.zeros(shape, dtype=array.dtype)
    larger[tuple(slice(size) for size in array.shape)] = array
    return larger
