"""Names of engines: ``boolean:papers.leafward``, ``pubmed``, ``sql:sales.sqlite``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from leafward.errors import SettingsError

IndexKind = Literal["boolean", "bm25", "dense", "hybrid", "tree"]
ServiceKind = Literal["pubmed", "trials"]
EngineKind = Literal[IndexKind, ServiceKind, "sql"]

INDEX_KINDS: tuple[IndexKind, ...] = get_args(IndexKind)
SERVICE_KINDS: tuple[ServiceKind, ...] = get_args(ServiceKind)

KINDS: tuple[EngineKind, ...] = (*INDEX_KINDS, "sql", *SERVICE_KINDS)

SHAPES = (*(f"{kind}:INDEX" for kind in INDEX_KINDS), "sql:FILE", *SERVICE_KINDS)
"""Every form that a name may have."""


@dataclass(frozen=True, slots=True)
class EngineName:
    """A name that was read; ``target`` is the path after the colon, empty for a service."""

    kind: EngineKind
    target: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.target}" if self.target else self.kind


def parse_engine(name: str) -> EngineName:
    """Read a name.

    Raises:
        SettingsError: an unknown kind, a path where none belongs, or none where one does.
    """
    start, colon, target = name.strip().partition(":")
    kind = next((each for each in KINDS if each == start.strip().lower()), None)
    if kind is None:
        raise SettingsError(f"there is no engine {name!r}", hint=f"name {_shapes()}")
    if kind in SERVICE_KINDS and colon:
        raise SettingsError(f"{kind} takes no path, and {name!r} has one", hint=f"say {kind}")
    if kind not in SERVICE_KINDS and not target.strip():
        shape = next(shape for shape in SHAPES if shape.startswith(f"{kind}:"))
        raise SettingsError(f"the engine {name!r} says not where", hint=f"say {shape}")
    return EngineName(kind, target.strip())


def _shapes() -> str:
    return f"{', '.join(SHAPES[:-1])} or {SHAPES[-1]}"
