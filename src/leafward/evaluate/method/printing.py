"""Methods as text; what is as by default is left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from typing import Any

PLAIN = re.compile(r"[^\s\"(),=>]+")
"""What can stand as a word without quotes."""


def shown(name: str, method: Any) -> str:
    """``name(key=value, …)``, or the name alone where nothing differs from the default."""
    arguments = ", ".join(_arguments(method))
    return f"{name}({arguments})" if arguments else name


def _arguments(method: Any) -> Iterator[str]:
    for field in fields(method):
        value = getattr(method, field.name)
        if field.name == "of" and isinstance(value, tuple):
            yield from (str(each) for each in value)
        elif field.name == "tree":
            yield from _arguments(value)
        elif field.name == "search":
            yield from (f"{key}={_value(given)}" for key, given in value)
        elif value != _default(field):
            yield f"{field.name}={_value(value)}"


def _default(field: Field[Any]) -> object:
    if field.default is not MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not MISSING else MISSING


def _value(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, tuple):
        return "/".join(str(each) for each in value)
    if isinstance(value, str) and not PLAIN.fullmatch(value):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
