"""``--where key=value``: filters on metadata."""

from __future__ import annotations

import json
from collections.abc import Sequence

from leafward.errors import SettingsError
from leafward.types import MetaValue

Value = str | int | float | bool | None


def parse_where(conditions: Sequence[str]) -> dict[str, MetaValue | list[Value]]:
    """Conditions by field; a field given several times may have any of its values.

    A value that reads as a JSON number, true, false, null or quoted string is one; anything else
    is text. ``year=2024`` is a number, ``year="2024"`` (with the quotes) is text.

    Raises:
        SettingsError: a condition has no field or no ``=``.
    """
    found: dict[str, list[Value]] = {}
    for condition in conditions:
        field, equals, value = condition.partition("=")
        if not equals or not field.strip():
            raise SettingsError(
                f"--where {condition}: this is no condition", hint="write --where field=value"
            )
        found.setdefault(field.strip(), []).append(_value(value.strip()))
    return {field: values[0] if len(values) == 1 else values for field, values in found.items()}


def _value(text: str) -> Value:
    try:
        value = json.loads(text)
    except ValueError:  # the usual case: plain words
        return text
    return value if value is None or isinstance(value, (str, int, float, bool)) else text
