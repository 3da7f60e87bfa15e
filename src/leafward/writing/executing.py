"""Executing expressions: each once, whoever asks for it, and told whose fault a failure is."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

from leafward.concurrency import map_drained
from leafward.errors import (
    EngineUnavailable,
    LeafwardError,
    ModelError,
    ModelRejected,
    QuerySyntaxError,
    SettingsError,
)
from leafward.protocols import SearchEngine, TableEngine
from leafward.types import Flaw
from leafward.writing.outcomes import Executed, Execution, Failed, Refused

REMEMBERED = 1_000_000
"""Ids and cells that are kept of earlier expressions, in all; a few dozen megabytes."""


Execute = Callable[[str], Awaitable[Executed]]


def execute_for(engine: SearchEngine, *, k: int, tables: bool = False) -> Execute:
    """Execute on an engine: for the first ``k`` ids, or for tables.

    Raises:
        SettingsError: tables are wanted of an engine that has none.
    """
    if not tables:
        return _searching(engine, k)
    if not isinstance(engine, TableEngine):
        raise SettingsError(
            f"results are to be compared, and an engine for {engine.syntax} gives none",
            hint="use an sql engine, or a reward for searches",
        )
    return _tabulating(engine)


def _searching(engine: SearchEngine, k: int) -> Execute:

    async def execute(expression: str) -> Executed:
        ranking = await engine.search(expression, k=k)
        return Executed(tuple(hit.doc_id for hit in ranking.hits), ranking.total)

    return execute


def _tabulating(engine: TableEngine) -> Execute:

    async def execute(expression: str) -> Executed:
        return Executed(table=await engine.table(expression))

    return execute


class Executor:
    """Executes expressions with a bounded memory of what they found.

    Equal expressions of one call are executed once. An engine or model that fails gives
    :class:`Failed`, which is not remembered: the same expression may work the next time. All other
    errors (a damaged index, a budget, a wrong key, an interrupt) are raised.
    """

    def __init__(self, execute: Execute, *, concurrency: int = 8) -> None:
        self._execute = execute
        self._concurrency = concurrency
        self._kept: OrderedDict[str, Executed | Refused] = OrderedDict()
        self._size = 0
        self.executed = 0
        """Expressions that went to the engine, failures included."""

    async def run(self, expressions: Sequence[str]) -> dict[str, Execution]:
        """Execute expressions, at most ``concurrency`` at once; results by expression.

        Raises:
            LeafwardError: what is neither the expression's fault nor a failure of the engine; what
                was in flight has ended by then.
        """
        wanted = list(dict.fromkeys(expressions))
        results = await map_drained(self._one, wanted, limit=self._concurrency)
        return dict(zip(wanted, results, strict=True))

    async def _one(self, expression: str) -> Execution:
        known = self._kept.get(expression)
        if known is not None:
            self._kept.move_to_end(expression)
            return known
        self.executed += 1
        outcome = await self._attempt(expression)
        if not isinstance(outcome, Failed):
            self._keep(expression, outcome)
        return outcome

    async def _attempt(self, expression: str) -> Execution:
        try:
            return await self._execute(expression)
        except QuerySyntaxError as error:
            hint = f" ({error.hint})" if error.hint else ""
            return Refused(Flaw("syntax-error", f"{error.message}{hint}", error.column))
        except (EngineUnavailable, ModelError) as error:
            if isinstance(error, ModelRejected) and not error.of_request:
                raise  # no later expression would fare better
            return Failed(_reason(error))

    def _keep(self, expression: str, outcome: Executed | Refused) -> None:
        if expression in self._kept:  # another step was as fast
            return
        self._kept[expression] = outcome
        self._size += outcome.size
        while self._size > REMEMBERED and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._size -= oldest.size


def _reason(error: LeafwardError) -> str:
    return f"{type(error).__name__}: {error.message}"
