"""Metadata filters: which leaves a search may show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from leafward.errors import SettingsError
from leafward.types import MetaValue

Wanted = MetaValue | Collection[str | int | float | bool | None]
Where = Mapping[str, Wanted]
"""Field to the value that it must have, or to the values of which it must have one."""

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),  # before int, of which it is a subclass
    ((int, float), "numbers"),
    (str, "text"),
    (type(None), "null"),
)


class MetadataSource(Protocol):
    """Where a filter finds the metadata of the leaves."""

    def column(self, field: str) -> Mapping[int, MetaValue]:
        """Values of a field by leaf position, for the leaves that have it."""

    def fields(self) -> Iterable[str]:
        """Every field that some leaf has."""


def matching(source: MetadataSource, where: Where, leaves: int) -> npt.NDArray[np.bool_]:
    """Mark the leaves whose metadata match every condition, bool ``[leaves]``.

    Numbers equal numbers (1 = 1.0), text equals text; true is not 1, "1" is not 1. A list in the
    metadata matches where any of its entries does. None matches null and a missing field.

    Raises:
        SettingsError: no leaf has such a field, or it holds values of another kind.
    """
    live = np.ones(leaves, dtype=np.bool_)
    for field, wanted in where.items():
        live &= _one(source, field, _keys(wanted), leaves)
    return live


def _one(
    source: MetadataSource, field: str, wanted: set[tuple[str, object]], leaves: int
) -> npt.NDArray[np.bool_]:
    column = source.column(field)
    if not column:
        known = ", ".join(sorted(source.fields())) or "none"
        raise SettingsError(
            f"no document has a metadata field {field!r}", hint=f"fields of this index: {known}"
        )
    # Most fields hold few different values; the class tells 1, 1.0 and True apart, which are equal.
    distinct = {(type(value), value): _keys(value) for value in column.values()}
    _check_kinds(field, wanted, set().union(*distinct.values()))
    hits = {key: not wanted.isdisjoint(held) for key, held in distinct.items()}
    mask = np.full(leaves, ("null", None) in wanted, dtype=np.bool_)
    mask[list(column)] = [hits[type(value), value] for value in column.values()]
    return mask


def _keys(value: Wanted) -> set[tuple[str, object]]:
    """Kind and value, so that sets compare as the filter does."""
    several = isinstance(value, Collection) and not isinstance(value, (str, bytes))
    values = value if several else (value,)
    return {(_kind(each), each) for each in values}  # type: ignore[union-attr]


def _kind(value: object) -> str:
    for kinds, name in _KINDS:
        if isinstance(value, kinds):
            return name
    raise SettingsError(
        f"a metadata filter cannot compare with {value!r}",
        hint="use text, numbers, true, false, null or a list of them",
    )


def _check_kinds(
    field: str, wanted: set[tuple[str, object]], held: set[tuple[str, object]]
) -> None:
    """A comparison that can never be true is a slip, not an empty result."""
    asked = {kind for kind, _ in wanted} - {"null"}
    found = {kind for kind, _ in held} - {"null"}
    if found and asked - found:
        raise SettingsError(
            f"metadata field {field!r} holds {' and '.join(sorted(found))}, "
            f"not {' or '.join(sorted(asked - found))}",
            hint="give the value in the form in which the corpus has it",
        )
