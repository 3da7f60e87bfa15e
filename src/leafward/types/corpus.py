"""Documents, queries and rankings, named as in TREC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from leafward.types.models import NO_USAGE, Usage
from leafward.types.search import Trace

MetaValue = str | int | float | bool | tuple[str, ...] | None
"""A metadata value: what JSON holds without nesting, so that filters stay simple comparisons."""


@dataclass(frozen=True, slots=True)
class Document:
    """One retrievable text.

    ``metadata`` keys with a meaning of their own: ``source`` (the parent document of a passage),
    ``section`` (the heading path above it) and ``position`` (its number within the source).
    """

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, MetaValue] = field(default_factory=dict)

    @property
    def source(self) -> str | None:
        """Id of the document this passage was cut from, or None."""
        value = self.metadata.get("source")
        return value if isinstance(value, str) else None

    @property
    def position(self) -> int:
        """Number of this passage within its source, 0 where unknown."""
        value = self.metadata.get("position")
        return value if isinstance(value, int) else 0

    @property
    def full_text(self) -> str:
        """Title and text as one string, which is what engines index and embedders read."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Query:
    """An information need, with what counts as relevant and which documents may not be shown."""

    id: str
    text: str
    relevance: str = ""
    excluded_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Qrel:
    """One judgement of a test collection; relevant where ``relevance`` > 0."""

    query_id: str
    doc_id: str
    relevance: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One document of a ranking; higher scores are better."""

    doc_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits of one query, best first, with what it took to find them.

    ``total`` counts all matches where the engine knows it. ``judged`` is how many documents a judge
    has read; ``degraded`` is true where a call was lost for good and the ranking is worse for it;
    ``trace`` is there where a tree was searched. ``notes`` are what the engine says of the
    expression: words that it ignored or did not find.
    """

    hits: tuple[Hit, ...]
    query_id: str = ""
    total: int | None = None
    usage: Usage = NO_USAGE
    judged: int = 0
    degraded: bool = False
    trace: Trace | None = None
    notes: tuple[str, ...] = ()
