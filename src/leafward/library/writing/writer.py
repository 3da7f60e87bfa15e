"""Writing expressions for needs, with one engine and one model."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from leafward.closing import AsyncClosing, Closing
from leafward.concurrency import map_drained
from leafward.errors import SettingsError
from leafward.library.engines import open_engine
from leafward.library.portal import Portal
from leafward.library.session import Session
from leafward.library.writing.asking import as_need
from leafward.library.writing.policies import policy_of
from leafward.library.writing.trying import Tried, titles_of, try_out
from leafward.library.writing.written import Written
from leafward.models import Stop, counting
from leafward.protocols import CallCache, ChatModel, SearchEngine
from leafward.settings import Settings
from leafward.types import NO_USAGE, Need, Rewrite, Usage
from leafward.writing import Style
from leafward.writing.candidates import Bounds, Candidate, best
from leafward.writing.methods import MethodName, make_writer
from leafward.writing.writers import MAX_TOKENS, ExpressionWriter

PARALLEL = 8
"""Candidates in flight."""


class QueryWriter(Closing, AsyncClosing):
    """Writes expressions that a search engine executes.

    Close it, or use it as a context manager. Methods block; those whose name begins with ``a`` are
    their async twins. One writer is for one event loop: its own, or that of the async twins.
    """

    def __init__(
        self,
        engine: str | SearchEngine,
        model: str | ChatModel | None = None,
        *,
        method: MethodName | None = None,
        reasoning: bool = True,
        prefilled: bool = False,
        style: Style | None = None,
        max_tokens: int | None = None,
        settings: Settings | None = None,
        embedder: str | None = None,
        cache: CallCache | None = None,
        stop: Stop | None = None,
    ) -> None:
        """Open the engine; the model is opened when it is first asked.

        Args:
            engine: a name such as ``boolean:papers.leafward``, ``pubmed`` or ``sql:sales.sqlite``,
                or an engine of your own, which stays yours to close.
            model: ``openai:NAME``, ``local:NAME``, …, or a model of your own; the settings' unless
                given. Methods without a model need none.
            method: ``zero-shot`` or ``few-shot`` (our examples), ``hyde``, or without a model
                ``need``, ``all-words``, ``three-words``. Unless given, ``few-shot``, which finds
                twice as much with a small model; but a ``style`` as it is, and a checkpoint that
                ``leafward train`` made as it was trained.
            reasoning: whether the model thinks before it answers.
            prefilled: begin the answer for the model, where its server goes on with what was begun
                (llama.cpp and vLLM do): a small model then keeps the format.
            style: all of that at once. A checkpoint that ``leafward train`` made is asked in the
                style it was trained in unless another is given, and answers as long.
            cache: where answers of the model are kept, so that none is paid twice.

        Raises:
            SettingsError: an unknown engine, syntax or method, or a missing model.
            StoreError: the index cannot be opened.
        """
        self._settings = settings or Settings()
        self._stop = stop or Stop()
        self._own = isinstance(model, ChatModel)
        spec = model if isinstance(model, str) else None
        self._session = Session(
            self._settings,
            spec or self._settings.model,
            embedder or self._settings.embedder,
            cache,
            self._stop,
        )
        self._chat: ChatModel | None = model if isinstance(model, ChatModel) else None
        self._portal = Portal(on_interrupt=self._stop.set, on_resume=self._stop.clear)
        self._closing = contextlib.AsyncExitStack()
        self.engine = self._opened(engine)
        policy = policy_of(self._session.model)
        if style is None and policy is not None:
            style = policy.style(self.engine)
            max_tokens = max_tokens or policy.max_tokens
        self.style = style or Style.of(self.engine, reasoning=reasoning, prefilled=prefilled)
        self._method: MethodName = method or ("few-shot" if style is None else "zero-shot")
        self._max_tokens = max_tokens or MAX_TOKENS
        self._made: ExpressionWriter | None = None

    def write(
        self,
        need: str | Mapping[str, str] | Need,
        *,
        k: int = 10,
        candidates: int = 1,
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
    ) -> Written:
        """Write an expression and see what it finds.

        Args:
            need: a text, or a PICO question: a mapping with any of P, I, C and O, or a text such as
                ``P: adults; I: aspirin; O: stroke``.
            k: how many hits to bring along; 0 counts them only, and leaves out engines that rank
                everything, whose counts say nothing.
            candidates: how many expressions to try; the first is the model's likeliest, the others
                are sampled.
            bounds: how many hits are wanted; see :func:`leafward.writing.candidates.best` for which
                candidate is kept.

        Raises:
            SettingsError: an empty need, no candidate, or a missing model.
            ModelError, BudgetExceeded, Interrupted: as :meth:`leafward.protocols.ChatModel`. An
                engine that is not there raises nothing: ``failure`` says so, for the expression
                has been paid for.
        """
        return self._portal.call(
            lambda: self.awrite(need, k=k, candidates=candidates, bounds=bounds)
        )

    async def awrite(
        self,
        need: str | Mapping[str, str] | Need,
        *,
        k: int = 10,
        candidates: int = 1,
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
    ) -> Written:
        """Async twin of :meth:`write`."""
        asked = as_need(need)
        if candidates < 1 or k < 0:
            raise SettingsError(
                f"{candidates} candidates with {k} hits are asked for",
                hint="ask for at least one candidate, and no fewer than 0 hits",
            )
        writer = self._writer()

        async def attempt(number: int) -> Tried:
            rewrite = await writer.write(asked, attempt=number)
            if k == 0 and self.engine.syntax == "text":
                return Tried(Candidate(rewrite))
            return await try_out(self.engine, rewrite, k=k)

        with counting() as used:
            tried = await map_drained(attempt, range(candidates), limit=PARALLEL)
        return await self._written(tried, bounds, used.total)

    async def _written(self, tried: list[Tried], bounds: Bounds, used: Usage) -> Written:
        kept = best([each.candidate for each in tried], bounds)
        found = next(each for each in tried if each.candidate is kept)
        rewrite: Rewrite = kept.rewrite
        own = sum((each.candidate.rewrite.usage for each in tried), NO_USAGE)
        return Written(
            engine=getattr(self.engine, "name", self.engine.syntax),
            syntax=self.engine.syntax,
            reasoning=rewrite.reasoning,
            expression=rewrite.expression,
            well_formed=rewrite.well_formed,
            problems=rewrite.problems,
            total=kept.total,
            hits=found.hits,
            titles=await titles_of(self.engine, found.hits),
            usage=own if self._own else used,
            candidates=tuple(each.candidate for each in tried),
            notes=found.notes,
            table=found.table,
            failure=kept.failure,
        )

    def _opened(self, engine: str | SearchEngine) -> SearchEngine:
        if not isinstance(engine, str):
            return engine
        opened = open_engine(
            engine,
            model=self._session.model,
            embedder=self._session.embedder_name,
            settings=self._settings,
            stop=self._stop,
        )
        self._closing.push_async_callback(opened.aclose)
        return opened

    def _writer(self) -> ExpressionWriter:
        if self._made is None:
            self._made = make_writer(
                self._method, self.style, self._model, max_tokens=self._max_tokens
            )
        return self._made

    def _model(self) -> ChatModel:
        chat = self._chat or self._session.chat
        if chat is None:
            raise SettingsError(
                f"the method {self._method} needs a language model",
                hint="name one: --model openai:MODEL, or --model local:qwen2.5-coder-1.5b",
            )
        return chat

    async def aclose(self) -> None:
        """Close what this object opened."""
        await self._closing.aclose()
        await self._session.aclose()

    def close(self) -> None:
        """Blocking twin of :meth:`aclose`."""
        self._portal.call(self.aclose)
        self._portal.close()
