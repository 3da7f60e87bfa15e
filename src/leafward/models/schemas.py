"""JSON schemas as providers want them: strict where they enforce one, in the prompt elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from leafward.types import JsonSchema, JsonValue, Message

# What OpenAI's strict mode, vLLM, llama.cpp and Gemini all take; pydantic checks the rest.
_KEPT = {
    *("type", "properties", "required", "items", "enum", "const", "anyOf", "$ref", "$defs"),
    *("description", "additionalProperties", "minItems", "maxItems", "minimum", "maximum"),
}
_BY_NAME = ("properties", "$defs")  # their keys are names, not keywords


def response_format(schema: JsonSchema) -> dict[str, JsonValue]:
    """The ``response_format`` that enforces a schema; not strict where it has free-form maps."""
    strict = strict_schema(schema)
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "answer",
            "schema": strict,
            "strict": not _has_free_map(strict),
        },
    }


def strict_schema(schema: JsonSchema) -> dict[str, JsonValue]:
    """A schema in the dialect of strict modes: closed objects, every property required."""
    result: dict[str, JsonValue] = {}
    for keyword, value in schema.items():
        if keyword in _KEPT:
            result[keyword] = _strict(value, names=keyword in _BY_NAME)
    properties = result.get("properties")
    if isinstance(properties, dict):
        result["required"] = list(properties)
        result["additionalProperties"] = False
    return result


def _strict(value: JsonValue, *, names: bool) -> JsonValue:
    if isinstance(value, list):
        return [_strict(item, names=False) for item in value]
    if not isinstance(value, dict):
        return value
    if names:
        return {name: _strict(inner, names=False) for name, inner in value.items()}
    return strict_schema(value)


def _has_free_map(schema: JsonValue) -> bool:
    if isinstance(schema, list):
        return any(_has_free_map(item) for item in schema)
    if not isinstance(schema, dict):
        return False
    if schema.get("additionalProperties") not in (None, False):
        return True
    if schema.get("type") == "object" and "properties" not in schema:
        return True
    return any(_has_free_map(value) for value in schema.values())


def with_schema_in_prompt(messages: Sequence[Message], schema: JsonSchema) -> list[Message]:
    """The conversation with the schema at the end of its system message, or of its last turn.

    The system message comes first, so that a provider's prefix cache covers the schema.
    """
    compact = json.dumps(schema, separators=(",", ":"), ensure_ascii=False)
    note = (
        f"Answer with one JSON object that follows this JSON schema, and nothing else:\n{compact}"
    )
    result = list(messages)
    place = 0 if result[0].role == "system" else len(result) - 1
    result[place] = replace(result[place], content=f"{result[place].content}\n\n{note}")
    return result
