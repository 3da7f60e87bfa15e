"""An engine that was opened by name: a search engine that knows its titles and can be closed."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from leafward.closing import AsyncClosing
from leafward.engines.boolean import BooleanEngine
from leafward.engines.sql import SqlEngine
from leafward.errors import EngineUnavailable, ModelError, ModelRejected, QuerySyntaxError
from leafward.library.index import Index
from leafward.protocols import Retriever, SearchEngine
from leafward.types import Query, Ranking
from leafward.types.tables import Table

Engine = TypeVar("Engine", bound=SearchEngine)


class OpenEngine(SearchEngine, Protocol):
    """What :func:`open_engine` gives: an async context manager that closes the engine."""

    @property
    def name(self) -> str:
        """The name that opens it again."""

    async def titles(self, doc_ids: Sequence[str]) -> list[str]:
        """Titles of documents that it found, in order; empty where it knows none."""

    async def aclose(self) -> None:
        """Release what it holds."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class IndexEngine(AsyncClosing):
    """An engine over an index, which it closes."""

    def __init__(self, name: str, index: Index, engine: SearchEngine) -> None:
        self._name = name
        self._index = index
        self._engine = engine

    @property
    def name(self) -> str:
        """The name that opens it again."""
        return self._name

    @property
    def syntax(self) -> str:
        """That of the engine."""
        return self._engine.syntax

    async def search(self, expression: str, *, k: int) -> Ranking:
        """As the engine does.

        Raises:
            QuerySyntaxError: the expression is malformed.
            EngineUnavailable: a model that the engine needs gave out.
        """
        return await self._engine.search(expression, k=k)

    async def titles(self, doc_ids: Sequence[str]) -> list[str]:
        """Titles of documents of the index, in order."""
        return self._index.opened.titles(doc_ids)

    async def aclose(self) -> None:
        """Close the index."""
        await self._index.aclose()


class Untitled(AsyncClosing, Generic[Engine]):
    """An engine whose documents have no titles, or none that it keeps."""

    def __init__(self, name: str, engine: Engine) -> None:
        self._name = name
        self._engine = engine

    @property
    def name(self) -> str:
        """The name that opens it again."""
        return self._name

    @property
    def syntax(self) -> str:
        """That of the engine."""
        return self._engine.syntax

    async def titles(self, doc_ids: Sequence[str]) -> list[str]:
        """Empty strings."""
        return [""] * len(doc_ids)

    async def aclose(self) -> None:
        """Nothing is held."""


class PlainBoolean(Untitled[BooleanEngine]):
    """A Boolean engine over a folder that holds nothing else: words, not texts."""

    async def search(self, expression: str, *, k: int) -> Ranking:
        """As :meth:`BooleanEngine.search`, newest first.

        Raises:
            QuerySyntaxError: the expression is malformed, or beyond a limit.
        """
        return await self._engine.search(expression, k=k)


class SqlFile(Untitled[SqlEngine]):
    """An SQL engine, which also gives whole tables (:class:`leafward.protocols.TableEngine`)."""

    @property
    def schema(self) -> str:
        """Tables with their columns and types, one a line, as a prompt shows them."""
        return self._engine.schema

    async def search(self, expression: str, *, k: int) -> Ranking:
        """As :meth:`SqlEngine.search`: the distinct values of the first column.

        Raises:
            QuerySyntaxError: no single statement, malformed, not reading, or beyond a limit.
            EngineUnavailable: the file cannot be read, or the clock ran out.
        """
        return await self._engine.search(expression, k=k)

    async def table(self, expression: str) -> Table:
        """The whole answer, up to the limits on rows and bytes; raises as :meth:`search`."""
        return await self._engine.table(expression)


class TextEngine:
    """A retriever as an engine of the syntax ``text``: what is not blank is an expression."""

    syntax = "text"

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    async def search(self, expression: str, *, k: int) -> Ranking:
        """Retrieve for the expression as a query.

        Raises:
            QuerySyntaxError: the expression is blank.
            EngineUnavailable: a model gave out.
            ModelRejected: the provider refuses every request (key, model name).
            BudgetExceeded, Interrupted: as their names say.
        """
        if not expression.strip():
            raise QuerySyntaxError(
                "the expression is empty", column=1, hint="say what is to be found"
            )
        try:
            return await self._retriever.retrieve(Query("", expression), k=k)
        except ModelRejected as error:
            if not error.of_request:
                raise
            raise _unavailable(error) from error
        except ModelError as error:
            raise _unavailable(error) from error


def _unavailable(error: ModelError) -> EngineUnavailable:
    return EngineUnavailable(f"the engine's model failed: {error.message}", hint=error.hint)
