"""Engines that find what a test says, and needs for them."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leafward.errors import EngineUnavailable, QuerySyntaxError
from leafward.types import Hit, Need, Ranking
from leafward.types.tables import Table


def answer(expression: str, *, thought: str | None = "t", key: str = "query") -> str:
    """A completion in the right format."""
    text = f"<answer>{json.dumps({key: expression}, ensure_ascii=False)}</answer>"
    return text if thought is None else f"<think>{thought}</think>{text}"


def need(need_id: str = "n", relevant: int = 20, *, gold: str = "") -> Need:
    """A need whose relevant documents are r1, r2, …"""
    return Need(need_id, "aspirin for stroke", relevant=graded(relevant), gold=gold)


def graded(count: int) -> dict[str, int]:
    return {f"r{number}": 1 for number in range(1, count + 1)}


@dataclass
class FakeEngine:
    """Finds ``relevant=R others=O first=F`` as it is told, or the ids that ``found`` has for it.

    ``!…`` is a syntax error. ``fails`` is the share of searches that fail as an outage, drawn anew
    each time; ``asked`` counts every search.
    """

    syntax: str = "pubmed"
    found: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fails: float = 0.0
    seed: int = 0
    totals: Mapping[str, int] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    async def search(self, expression: str, *, k: int) -> Ranking:
        self.asked[expression] += 1
        if self._random.random() < self.fails:
            raise EngineUnavailable("503 from the service", hint="try again later")
        if expression.startswith("!"):
            raise QuerySyntaxError("! is no operator", column=1, hint="write NOT")
        ids = list(self.found.get(expression) or made_up(expression))
        hits = tuple(Hit(each, float(-rank)) for rank, each in enumerate(ids[:k]))
        return Ranking(hits, total=self.totals.get(expression, len(ids)))


def made_up(expression: str) -> list[str]:
    """``7 of 20``: r1 … r7 among 20 hits, at the end; ``rank 7``: r1 at that rank."""
    words = expression.split()
    if words[0] == "rank":
        return [f"o{number}" for number in range(1, int(words[1]))] + ["r1"]
    relevant, total = int(words[0]), int(words[2])
    return [f"o{number}" for number in range(total - relevant)] + list(graded(relevant))


@dataclass
class FakeTables(FakeEngine):
    """An SQL engine: ``tables`` by statement, anything else is a syntax error."""

    syntax: str = "sql"
    schema: str = "t(a text, b int)"
    tables: Mapping[str, Table] = field(default_factory=dict)

    async def table(self, expression: str) -> Table:
        self.asked[expression] += 1
        if expression not in self.tables:
            raise QuerySyntaxError("no such table", hint="name a table of the schema")
        return self.tables[expression]
