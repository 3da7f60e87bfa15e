"""Which task a prompt carries, told from its schema and not from its wording."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

KINDS = ("summaries", "clusters", "describe_group", "slate_scores", "query", "letters", "other")
"""Tasks of Leafward's prompts; "other" is whatever else is asked."""

_BY_PROPERTY = (
    ("summaries", {"passages"}),
    ("clusters", {"clusters"}),
    ("slate_scores", {"scores"}),
    ("describe_group", {"name", "description"}),
    ("query", {"query"}),
)
_KEY = re.compile(r'"(\w+)"\s*:')  # as in a sketch of the answer; JSON in a string has \"


def kind_of(name: str, schema: Mapping[str, Any] | None, prompt: str, top_logprobs: int) -> str:
    """Task of a request: by schema name, by schema, by logprobs, by the schema in the prompt."""
    folded = re.sub(r"[^a-z]", "", name.lower())
    for kind in KINDS:
        if folded and folded == kind.replace("_", ""):
            return kind
    if schema is not None and (found := _by_properties(schema)):
        return found
    if top_logprobs:
        return "letters"
    for value in json_objects(prompt):
        if found := _by_properties(value):
            return found
    named = dict.fromkeys(_KEY.findall(prompt))
    return _by_properties(named) or "other"


def _by_properties(schema: Mapping[str, Any]) -> str | None:
    """The task whose answer has these properties; an example of an answer does as well."""
    properties = schema.get("properties", schema)
    if not isinstance(properties, Mapping):
        return None
    for kind, needed in _BY_PROPERTY:
        if needed <= properties.keys():
            return kind
    return None


def json_objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Outermost JSON objects that stand anywhere in a text, in order."""
    decoder = json.JSONDecoder()
    position = text.find("{")
    while position >= 0:
        try:
            value, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError:
            position += 1
        else:
            yield value
        position = text.find("{", position)
