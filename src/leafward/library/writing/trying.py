"""Trying expressions on an engine: how many hits, and which come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leafward.engines.sql import as_ranking
from leafward.errors import EngineUnavailable, QuerySyntaxError
from leafward.protocols import SearchEngine, TableEngine
from leafward.types import Flaw, Hit, Ranking, Rewrite
from leafward.types.tables import Table
from leafward.writing.candidates import Candidate


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate with its first hits and what the engine noted."""

    candidate: Candidate
    hits: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()
    table: Table | None = None


async def try_out(engine: SearchEngine, rewrite: Rewrite, *, k: int) -> Tried:
    """Execute an expression; what the engine refuses becomes one of the rewrite's problems.

    A malformed completion is tried too where an expression can be read in it: it may serve a
    person all the same.

    Raises:
        LeafwardError: what is neither the expression's fault nor an outage of the engine.
    """
    if not rewrite.expression:
        return Tried(Candidate(rewrite))
    try:
        ranking, table = await _execute(engine, rewrite.expression, max(k, 1))
    except QuerySyntaxError as error:
        flaw = Flaw("syntax-error", told(error.message, error.hint), error.column)
        return Tried(Candidate(replace(rewrite, problems=(*rewrite.problems, flaw))))
    except EngineUnavailable as error:
        return Tried(Candidate(rewrite, failure=told(error.message, error.hint)))
    total = ranking.total if table is None or table.truncated else len(table.rows)
    return Tried(Candidate(rewrite, total), ranking.hits[:k], ranking.notes, table)


async def _execute(engine: SearchEngine, expression: str, k: int) -> tuple[Ranking, Table | None]:
    """The first ``k`` hits; of a database the whole answer too, executed once."""
    if not isinstance(engine, TableEngine):
        return await engine.search(expression, k=k), None
    table = await engine.table(expression)
    return as_ranking(table, k), table


def told(message: str, hint: str) -> str:
    """A message with its hint."""
    return f"{message} ({hint})" if hint else message


async def titles_of(engine: SearchEngine, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Titles of hits, as far as the engine knows any and is there to tell them."""
    known = getattr(engine, "titles", None)
    if known is None or not hits:
        return tuple("" for _ in hits)
    try:
        return tuple(await known([hit.doc_id for hit in hits]))
    except EngineUnavailable:
        return tuple("" for _ in hits)
