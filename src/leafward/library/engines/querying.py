"""Executing one expression from code that is not async."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leafward.engines.sql import as_ranking
from leafward.errors import EngineUnavailable
from leafward.library.engines.opened import OpenEngine
from leafward.library.engines.opening import open_engine
from leafward.library.portal import Portal
from leafward.models import Stop
from leafward.protocols import TableEngine
from leafward.settings import Settings
from leafward.types import Ranking
from leafward.types.tables import Table


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What an engine answered; ``table`` is the whole answer of a database, None of any other.

    ``titles`` are those of the hits, empty where they were not asked for or are not known.
    """

    engine: str
    syntax: str
    ranking: Ranking
    titles: tuple[str, ...]
    table: Table | None = None


def query(
    name: str,
    expression: str,
    *,
    k: int = 10,
    titles: bool = True,
    model: str | None = None,
    embedder: str | None = None,
    settings: Settings | None = None,
) -> QueryResult:
    """Execute an expression on an engine and close it; ``model`` to ``settings`` as they are for
    :func:`open_engine`.

    Raises:
        QuerySyntaxError: the expression is malformed.
        EngineUnavailable: the engine is down, rate-limited or too slow.
        SettingsError, StoreError: there is no such engine, or it cannot be opened.
        Interrupted: Ctrl-C.
    """
    stop = Stop()
    portal = Portal(on_interrupt=stop.set)

    async def run() -> QueryResult:
        async with open_engine(
            name, model=model, embedder=embedder, settings=settings, stop=stop
        ) as engine:
            return await _executed(engine, expression, k=k, titles=titles)

    try:
        return portal.call(run)
    finally:
        portal.close()


async def _executed(engine: OpenEngine, expression: str, *, k: int, titles: bool) -> QueryResult:
    table = await engine.table(expression) if isinstance(engine, TableEngine) else None
    ranking = await engine.search(expression, k=k) if table is None else as_ranking(table, k)
    ids = [hit.doc_id for hit in ranking.hits]
    known = await _titles(engine, ids) if titles else [""] * len(ids)
    return QueryResult(engine.name, engine.syntax, ranking, tuple(known), table)


async def _titles(engine: OpenEngine, doc_ids: Sequence[str]) -> list[str]:
    """Titles are a courtesy: what was found is told without them where they cannot be had."""
    try:
        return await engine.titles(doc_ids)
    except EngineUnavailable:
        return [""] * len(doc_ids)
