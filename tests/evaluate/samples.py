"""Retrievers and collections that tests of the evaluation share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from leafward.types import Collection, Hit, Query, Ranking, Usage


def collection(count: int = 6, *, name: str = "small", split: str = "test") -> Collection:
    """Queries ``q0 …``; document ``dN`` is relevant to ``qN`` and ``other`` is judged not to be."""
    queries = tuple(Query(f"q{i}", f"need number {i}") for i in range(count))
    qrels = {query.id: {f"d{i}": 1, "other": 0} for i, query in enumerate(queries)}
    return Collection(name, split, (), queries, qrels)


def answer(query: Query, *, rank: int = 1) -> Ranking:
    """A ranking with the relevant document of ``qN`` at ``rank``."""
    gold = query.id.replace("q", "d")
    fillers = [f"x{i}" for i in range(rank - 1)]
    hits = tuple(Hit(doc, 1.0 / (1 + i)) for i, doc in enumerate([*fillers, gold, "other"]))
    usage = Usage(calls=2, prompt_tokens=100, completion_tokens=10, money=0.5)
    return Ranking(hits, query.id, usage=usage, judged=7)


class Scripted:
    """Answers each query right, unless ``failures`` says what to raise; counts who asked."""

    def __init__(
        self,
        failures: Mapping[str, Exception] | None = None,
        make: Callable[[Query], Ranking] = answer,
    ) -> None:
        self.failures = dict(failures or {})
        self.make = make
        self.asked: list[str] = []
        self.in_flight = 0
        self.most = 0

    async def retrieve(self, query: Query, *, k: int) -> Ranking:
        self.asked.append(query.id)
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            await asyncio.sleep(0)
            if query.id in self.failures:
                raise self.failures[query.id]
            return self.make(query)
        finally:
            self.in_flight -= 1
