"""What the layers ask of each other; a protocol only where implementations differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from leafward.types import (
    Completion,
    JsonSchema,
    Judgement,
    Message,
    Query,
    Ranking,
    Sampling,
    Slate,
    Usage,
)
from leafward.types.tables import Table

DEFAULT_SAMPLING = Sampling()

Vectors = npt.NDArray[np.float32]
"""float32 ``[n, d]`` with unit rows."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model that answers a conversation."""

    @property
    def name(self) -> str:
        """The specification that opens it again, such as ``openai:gpt-5-mini``."""

    @property
    def context_tokens(self) -> int:
        """Prompt and completion together may not be longer than this."""

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once; with a schema the answer is JSON where the provider can enforce it.

        Raises:
            ModelError: the call failed for good (its own retries are over).
            BudgetExceeded: the call could overshoot the budget, and was not made.
            Interrupted: the user asked to stop, and the call was not made.
        """


class Embedder(Protocol):
    """Maps texts to unit vectors."""

    @property
    def name(self) -> str:
        """The specification that opens it again."""

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str], *, role: Literal["query", "document"]) -> Vectors:
        """Embed texts, ``[n]`` to float32 ``[n, d]`` with unit rows; blocks while it works."""


class Judge(Protocol):
    """Scores the candidates of a slate against a query."""

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Score candidates in [0, 1]; those it cannot score are left out of the judgement.

        Raises:
            ModelError, BudgetExceeded, Interrupted: as :meth:`ChatModel.complete`.
        """


class Clusterer(Protocol):
    """Splits vectors into parts."""

    def split(
        self, vectors: Vectors, parts: int, *, seed: int, capacity: int | None = None
    ) -> npt.NDArray[np.int64]:
        """Label float32 ``[n, d]`` with int64 ``[n]`` in ``0 .. parts - 1``, each label used.

        No part gets more than ``capacity`` vectors; without one the clusterer sets the bound.
        """


class SearchEngine(Protocol):
    """Executes expressions of one syntax."""

    @property
    def syntax(self) -> str: ...

    async def search(self, expression: str, *, k: int) -> Ranking:
        """Raises QuerySyntaxError (the query's fault) or EngineUnavailable (ours)."""


@runtime_checkable
class TableEngine(SearchEngine, Protocol):
    """A search engine over a database, which also gives the whole answer of an expression."""

    @property
    def schema(self) -> str:
        """Tables with their columns and types, one a line, as a prompt shows them."""

    async def table(self, expression: str) -> Table:
        """Every row, up to the engine's limits; raises as :meth:`SearchEngine.search`."""


class Retriever(Protocol):
    """Ranks documents for a query."""

    async def retrieve(self, query: Query, *, k: int) -> Ranking: ...


class CallCache(Protocol):
    """Where every model answer is kept under its content hash before it is used."""

    def get(self, key: str) -> str | None:
        """The stored answer (JSON), or None."""

    def put(
        self, key: str, *, kind: str, model: str, request: str, answer: str, usage: Usage
    ) -> None:
        """Store an answer durably; returns when it will survive ``kill -9``."""


class Progress(Protocol):
    """Told how far a long job is; implementations draw bars, log lines or nothing."""

    def start(self, stage: str, total: int | None = None) -> None: ...

    def advance(self, stage: str, count: int = 1) -> None: ...

    def finish(self, stage: str) -> None: ...


class Silent:
    """Progress that draws nothing."""

    def start(self, stage: str, total: int | None = None) -> None:
        pass

    def advance(self, stage: str, count: int = 1) -> None:
        pass

    def finish(self, stage: str) -> None:
        pass
