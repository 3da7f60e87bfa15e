"""What retrievers are asked and answer inside the library: more than the protocol tells."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Protocol

from leafward.errors import LeafwardError
from leafward.library.searching import search_limits
from leafward.models import counting, within
from leafward.settings import SearchSettings
from leafward.types import Hit, Query, Ranking, SearchHit, StopReason, Trace, Usage


@dataclass(frozen=True, slots=True)
class Need:
    """A query with the forms in which it is put to engines.

    ``query`` is in the user's own words, which rerankers judge by. ``text`` is what is embedded and
    walked with, ``words`` what is looked up: the same, unless a rewriter stands before. ``end`` is
    the event loop's time at which judges stop.
    """

    query: Query
    text: str
    words: str
    end: float | None = None

    @staticmethod
    def of(query: Query, *, seconds: float | None = None) -> Need:
        """The need as asked, to be met within ``seconds``."""
        end = None if seconds is None else asyncio.get_running_loop().time() + seconds
        return Need(query, query.text, query.text, end)

    @property
    def left(self) -> float | None:
        """Seconds until the end, at least a moment; None where there is none."""
        if self.end is None:
            return None
        return max(self.end - asyncio.get_running_loop().time(), 1e-3)


@dataclass(frozen=True, slots=True)
class Found:
    """Hits, best first, with how they were found.

    ``judged`` are the documents that a judge has read; ``details`` are hits with path and reasons,
    where a judge gave any. ``failure`` is set where the hits are what was there when the whole
    job's budget or the provider gave out: good enough to show, not to be scored.
    """

    hits: tuple[Hit, ...]
    total: int | None = None
    judged: frozenset[str] = frozenset()
    degraded: bool = False
    stop: StopReason = "exhausted"
    trace: Trace | None = None
    details: Mapping[str, SearchHit] = field(default_factory=dict)
    failure: LeafwardError | None = None


def together(parts: tuple[Found, ...], hits: tuple[Hit, ...]) -> Found:
    """Several sources as one, with hits of their own; the first trace, stop and failure count."""
    stops = [part.stop for part in parts if part.stop != "exhausted"]
    return Found(
        hits=hits,
        judged=frozenset().union(*(part.judged for part in parts)),
        degraded=any(part.degraded for part in parts),
        stop=stops[0] if stops else "exhausted",
        trace=next((part.trace for part in parts if part.trace is not None), None),
        details={
            doc_id: detail for part in reversed(parts) for doc_id, detail in part.details.items()
        },
        failure=next((part.failure for part in parts if part.failure is not None), None),
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found, and what it took."""

    found: Found
    usage: Usage


class Finder(Protocol):
    """Finds documents for a need."""

    async def find(self, need: Need, *, k: int) -> Found:
        """The best ``k``; excluded documents are left out before the cut."""


async def answer(finder: Finder, query: Query, settings: SearchSettings, *, k: int) -> Answer:
    """Find, within the limits that the settings put on one search, and count what it took."""
    limits = search_limits(settings)
    with counting() as used, nullcontext() if limits is None else within(limits):
        found = await finder.find(Need.of(query, seconds=settings.deadline), k=k)
    return Answer(found, used.total)


class Group(Protocol):
    """Several finders that are asked at once, whose hits are kept apart."""

    async def find_each(self, need: Need, *, k: int) -> tuple[Found, ...]:
        """The best ``k`` of each finder, in their order."""


class FinderRetriever:
    """A finder as a :class:`leafward.protocols.Retriever`; limits in ``settings`` are a query's."""

    def __init__(self, finder: Finder, settings: SearchSettings) -> None:
        self._finder = finder
        self._settings = settings

    async def retrieve(self, query: Query, *, k: int) -> Ranking:
        """Rank documents; the usage is this query's own, whatever else is in flight.

        Raises:
            BudgetExceeded: the whole job's budget ended this query before it was done.
            ModelError: the provider gave out; where it was merely shaky the ranking is degraded.
            EngineUnavailable, Interrupted, SettingsError: as their names say.
        """
        given = await answer(self._finder, query, self._settings, k=k)
        found = given.found
        if found.failure is not None:
            raise found.failure
        return Ranking(
            hits=found.hits,
            query_id=query.id,
            total=found.total,
            usage=given.usage,
            judged=len(found.judged),
            degraded=found.degraded,
            trace=found.trace,
        )
