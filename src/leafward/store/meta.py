"""What a build says about itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from leafward.store.codec import dump
from leafward.types import NO_USAGE, JsonValue, Usage


@dataclass(frozen=True, slots=True)
class BuildMeta:
    """How a generation came to be; shown to users, never read by the algorithms.

    ``embedder`` and ``model`` are the specifications that open them again (``model`` is None for a
    build without one); ``details`` holds what else is worth keeping, such as the routing probe.
    """

    strategy: str
    embedder: str
    model: str | None = None
    usage: Usage = NO_USAGE
    details: Mapping[str, JsonValue] = field(default_factory=dict)

    def dump(self) -> str:
        """This as canonical JSON."""
        return dump(asdict(self))

    @classmethod
    def load(cls, text: str) -> BuildMeta:
        values = json.loads(text)
        return cls(**{**values, "usage": Usage(**values["usage"])})
