"""Readers of the parts of a JSON script; each names what is wrong and what there is instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from leafward.errors import SettingsError

Made = TypeVar("Made")
Choice = TypeVar("Choice")


def build(make: Callable[..., Made], options: Any) -> Made:
    """Make something of options; SettingsError where it does not take them."""
    try:
        return make(**an_object(options, "options"))
    except TypeError as error:
        raise SettingsError(str(error), hint="see leafward.testing for the options") from error


def pick(choices: Mapping[str, Choice], name: str, what: str) -> Choice:
    """The choice of this name."""
    if name not in choices:
        raise SettingsError(f"no {what} {name!r}", hint=f"there are: {', '.join(sorted(choices))}")
    return choices[name]


def single(value: Any, what: str) -> tuple[str, Any]:
    """Name and options of ``{"name": {options}}``."""
    if not isinstance(value, dict) or len(value) != 1:
        raise SettingsError(f"{what}: {value!r}", hint='write {"name": {options}}')
    return next(iter(value.items()))


def an_object(value: Any, what: str) -> Mapping[str, Any]:
    """The value, where it is a JSON object."""
    if not isinstance(value, dict):
        raise SettingsError(f"{what} must be a JSON object", hint="see leafward.testing")
    return value


def a_list(value: Any, what: str) -> Sequence[Any]:
    """The value, where it is a JSON list."""
    if not isinstance(value, list):
        raise SettingsError(f"{what} must be a JSON list", hint="see leafward.testing")
    return value
