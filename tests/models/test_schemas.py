from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, Field

from leafward.models.schemas import response_format, strict_schema, with_schema_in_prompt
from leafward.types import Message


class Item(BaseModel):
    title: str = Field(max_length=5, description="its name")  # a property may be called title
    score: float = Field(ge=0, le=1)


class Shape(BaseModel):
    """A shape."""

    items: list[Item] = Field(max_length=9)
    note: str | None = None


class Free(BaseModel):
    scores: dict[str, int]


def test_strict_schemas_are_closed_and_ask_for_everything() -> None:
    schema: Any = strict_schema(Shape.model_json_schema())
    assert schema["required"] == ["items", "note"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["items"] == {
        "type": "array",
        "maxItems": 9,
        "items": {"$ref": "#/$defs/Item"},
    }
    assert schema["properties"]["note"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert schema["$defs"]["Item"] == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "its name"},
            "score": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["title", "score"],
        "additionalProperties": False,
    }


def test_free_maps_cannot_be_strict() -> None:
    strict: Any = response_format(Shape.model_json_schema())
    free: Any = response_format(Free.model_json_schema())
    assert (strict["json_schema"]["strict"], free["json_schema"]["strict"]) == (True, False)
    assert free["json_schema"]["schema"]["properties"]["scores"]["additionalProperties"] == {
        "type": "integer"
    }


def test_the_prompt_carries_the_schema_where_a_prefix_cache_covers_it() -> None:
    schema = Shape.model_json_schema()
    system, user = Message("system", "Rules."), Message("user", "Question?")
    first, last = with_schema_in_prompt([system, user], schema)
    assert last == user
    assert first.content.startswith("Rules.\n\n")
    assert json.loads(first.content.rpartition("\n")[2]) == schema
    (only,) = with_schema_in_prompt([user], schema)
    assert only.role == "user"
    assert "JSON" in only.content
