"""Arguments of methods: what each takes, and its value from text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from leafward.errors import SettingsError
from leafward.evaluate.method.checking import checked_setting
from leafward.evaluate.method.nodes import (
    Rrf,
    Tree,
    TreePlus,
    argument_names,
)
from leafward.settings import SearchSettings


class UnknownArgument(SettingsError):
    """An argument that the method does not have."""


def built(kind: type[Any], given: dict[str, Any]) -> Any:
    """The method; settings of tree search are gathered from among its arguments."""
    own = {key: value for key, value in given.items() if key in _own(kind)}
    rest = tuple((key, value) for key, value in given.items() if key not in own and key != "judge")
    if kind is Tree:
        return Tree(search=rest, **own)
    if kind is TreePlus:
        return TreePlus(tree=Tree(given.get("judge", "auto"), rest), **own)
    return kind(**own)


def _own(kind: type[Any]) -> tuple[str, ...]:
    return tuple(name for name in argument_names(kind) if name not in ("search", "tree"))


def takes(name: str, kind: type[Any]) -> str:
    """A sentence that names every argument of a method."""
    own = [key for key in _own(kind) if not (kind is Rrf and key == "of")]
    if kind in (Tree, TreePlus):
        own = [*dict.fromkeys([*own, "judge"]), "any setting of tree search (references=5)"]
    if kind is Rrf:
        return f"rrf takes methods, and {', '.join(own)}"
    return f"{name} takes {', '.join(own)}" if own else f"{name} takes no arguments"


def read(name: str, kind: type[Any], key: str, text: str) -> Any:
    """The value of an argument.

    Raises:
        UnknownArgument: the method does not have it.
        SettingsError: it cannot have this value.
    """
    if key in _own(kind) and key in _READERS:
        return _READERS[key](key, text)
    if kind is TreePlus and key == "judge":
        return text
    if kind in (Tree, TreePlus) and key in SearchSettings.model_fields:
        return checked_setting(key, None if text == "none" else text)
    raise UnknownArgument(f"{name} has no argument {key}", hint=takes(name, kind))


def _integer(key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise SettingsError(f"{key} cannot be {text}", hint=f"give a whole number, as {key}=20")
    return int(text)


def _optional(key: str, text: str) -> int | None:
    return None if text == "none" else _integer(key, text)


def _boolean(key: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise SettingsError(f"{key} cannot be {text}", hint="say true or false")
    return text == "true"


def _weights(key: str, text: str) -> tuple[float, ...]:
    try:
        weights = tuple(float(part) for part in text.split("/"))
    except ValueError:
        weights = (math.nan,)
    if not all(math.isfinite(weight) for weight in weights):
        raise SettingsError(f"{key} cannot be {text}", hint="numbers with / between: 0.6/0.2/0.2")
    return weights


def _word(key: str, text: str) -> str:
    return text


def _rewriting(key: str, text: str) -> str | None:
    return None if text == "none" else text


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "weights": _weights,
    "adaptive": _boolean,
    "cheap": _rewriting,
    "depth": _integer,
    "c": _integer,
    "window": _integer,
    "carry": _integer,
    "top": _integer,
    "calls": _optional,
    "judge": _word,
    "model": _word,
}
