"""What a report may show of a recipe: names, and no folders of the machine it ran on."""

from __future__ import annotations

import json
from pathlib import Path

from leafward.models.causal.sources import HUB
from leafward.training.recipe import Recipe


def without_folders(text: str) -> str:
    """A path, alone or after ``KIND:``, as its last part; any other text as it is."""
    if "/" not in text or text.startswith(HUB):
        return text
    kind, colon, path = text.rpartition(":")
    return f"{kind}{colon}{Path(path).name}"


def shared(recipe: Recipe) -> dict[str, object]:
    """A recipe as plain data without folders."""
    given: dict[str, object] = json.loads(recipe.model_dump_json(exclude_none=True))
    return {key: _shared(value) for key, value in given.items()}


def _shared(value: object) -> object:
    if isinstance(value, dict):
        return {key: _shared(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_shared(each) for each in value]
    return without_folders(value) if isinstance(value, str) else value
