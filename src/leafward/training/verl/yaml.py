"""Nested settings as YAML: every scalar as JSON, which YAML reads alike."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def as_yaml(settings: Mapping[str, Any], *, depth: int = 0) -> Iterator[str]:
    """Lines of YAML for a tree of mappings whose leaves are scalars and flat lists.

    JSON strings are YAML's double-quoted ones; what looks like Hydra's ``${…}`` is escaped, for a
    path is data.
    """
    pad = "  " * depth
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield f"{pad}{key}:"
            yield from as_yaml(value, depth=depth + 1)
        elif isinstance(value, list | tuple):
            yield f"{pad}{key}: [{', '.join(map(_scalar, value))}]"
        else:
            yield f"{pad}{key}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        value = value.replace("${", "\\${")
    text = json.dumps(value, ensure_ascii=True)
    if isinstance(value, float) and "." not in text:
        text = text.replace("e", ".0e")  # without a point YAML 1.1 takes it for a word
    return text
