"""Validating data against a shape, leaving out what is invalid rather than losing the rest."""

from __future__ import annotations

import copy
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from leafward.types import JsonValue

Shape = TypeVar("Shape", bound=BaseModel)
Location = tuple[int | str, ...]


def validated(data: JsonValue, shape: type[Shape]) -> tuple[Shape | None, bool]:
    """Validate data as a shape; ``(value or None, complete)``.

    An invalid list item is left out, an invalid field falls back to its default where it has one,
    a list that is too long is cut. What cannot be valid without an item takes the item that holds
    it along. ``complete`` is False where anything was left out. A value whose lists all lost
    everything is None: nothing was said.
    """
    wrapped = _wrapped(data, shape)
    try:
        return shape.model_validate(wrapped), wrapped is data
    except ValidationError as error:
        failure = error
    rest = copy.deepcopy(wrapped)
    while _drop(rest, failure):
        try:
            value = shape.model_validate(rest)
        except ValidationError as error:
            failure = error
        else:
            return (None if says_nothing(rest) else value), False
    return None, False


def _wrapped(data: JsonValue, shape: type[BaseModel]) -> JsonValue:
    """A bare list, where the shape has one field and that is a list, is that field."""
    if isinstance(data, list) and len(shape.model_fields) == 1:
        ((name, info),) = shape.model_fields.items()
        if get_origin(info.annotation) in (list, tuple):
            return {info.alias or name: data}
    return data


def _drop(data: JsonValue, failure: ValidationError) -> bool:
    """Take the invalid places out of the data; False where nothing is left to take out."""
    cuts: dict[Location, int | None] = {}
    for error in failure.errors(include_url=False, include_input=False):
        place = _existing(data, error["loc"])
        if place:
            most = error.get("ctx", {}).get("max_length") if error["type"] == "too_long" else None
            cuts[place] = most if isinstance(most, int) and most > 0 else None
    for place in sorted(cuts, key=_last_first):
        if not any(place[:length] in cuts for length in range(len(place))):
            _cut(data, place, cuts[place])
    return bool(cuts)


def _last_first(place: Location) -> tuple[tuple[int, str], ...]:
    """Order in which a deletion leaves the indices of those still to come untouched."""
    return tuple((-part, "") if isinstance(part, int) else (0, part) for part in place)


def _existing(data: JsonValue, location: Location) -> Location:
    """The part of an error's location that leads through the data (unions add labels to it)."""
    here: Any = data
    path: list[int | str] = []
    for part in location:
        if _holds(here, part):
            here = here[part]
            path.append(part)
    return tuple(path)


def _holds(here: Any, part: int | str) -> bool:
    if isinstance(here, list):
        return isinstance(part, int) and 0 <= part < len(here)
    return isinstance(here, dict) and part in here


def _cut(data: JsonValue, place: Location, most: int | None) -> None:
    holder: Any = data
    for part in place[:-1]:
        holder = holder[part]
    if most is not None:
        del holder[place[-1]][most:]
    else:
        del holder[place[-1]]


def says_nothing(data: JsonValue) -> bool:
    """True where every list at the top has become empty, and there is one."""
    if not isinstance(data, dict):
        return False
    lists = [value for value in data.values() if isinstance(value, list)]
    return bool(lists) and not any(lists)
