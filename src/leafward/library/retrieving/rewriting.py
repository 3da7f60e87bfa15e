"""A rewriter in front of finders."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from leafward.concurrency import wait_drained
from leafward.errors import BudgetExceeded, LeafwardError, ModelError, ModelRejected, SettingsError
from leafward.evaluate.method import Rewriting as RewriterName
from leafward.library.retrieving.found import Finder, Found, Group, Need
from leafward.library.retrieving.scope import Scope
from leafward.protocols import ChatModel
from leafward.search.driver import LIMITS, leave
from leafward.types import Rewrite, StopReason
from leafward.writing import Hyde, PlainRewriter, Query2Doc, Rewriter


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A need as rewritten, or as it was where ``degraded`` is true.

    ``stop`` is set where a limit or the deadline came first, ``failure`` as in :class:`Found`.
    """

    need: Need
    degraded: bool = False
    stop: StopReason | None = None
    failure: LeafwardError | None = None

    def mark(self, found: Found) -> Found:
        """What was found for the need, with what befell it before."""
        if not self.degraded:
            return found
        stop, failure = self.stop or found.stop, found.failure or self.failure
        return replace(found, degraded=True, stop=stop, failure=failure)


class Rewriting:
    """Puts needs into other words.

    Where the model gives nothing usable, or a limit or the deadline comes first, a need goes on as
    it was, and what is found for it says ``degraded``.

    Raises:
        SettingsError: no language model is configured.
    """

    def __init__(self, scope: Scope, name: RewriterName) -> None:
        self._stragglers = scope.opened.stragglers
        self._rewriter = _rewriter(name, _chat(scope, name))

    async def apply(self, need: Need) -> Rewritten:
        """Rewrite a need; raises where the first request is refused as such (key, model name)."""
        try:
            rewrite = await self._rewrite(need)
        except (BudgetExceeded, ModelError) as error:
            if isinstance(error, ModelRejected) and not error.of_request:
                raise
            stop = LIMITS.get(error.limit) if isinstance(error, BudgetExceeded) else None
            return Rewritten(need, degraded=True, stop=stop, failure=_ours(error))
        if rewrite is None:
            return Rewritten(need, degraded=True, stop="deadline")
        words = rewrite.words or rewrite.expression
        return Rewritten(replace(need, text=rewrite.expression, words=words))

    async def _rewrite(self, need: Need) -> Rewrite | None:
        """The rewrite, or None where the deadline passed first."""
        task = asyncio.ensure_future(self._rewriter.rewrite(replace(need.query, text=need.text)))
        if await wait_drained(task, seconds=need.left):
            return task.result()
        await leave([task], self._stragglers)
        return None


class RewrittenFinder:
    """Puts the rewritten need to a finder."""

    def __init__(self, rewriting: Rewriting, inner: Finder) -> None:
        self._rewriting = rewriting
        self._inner = inner

    async def find(self, need: Need, *, k: int) -> Found:
        """Rewrite, then find."""
        rewritten = await self._rewriting.apply(need)
        return rewritten.mark(await self._inner.find(rewritten.need, k=k))


class RewrittenGroup:
    """Puts one and the same rewritten need to several finders."""

    def __init__(self, rewriting: Rewriting, inner: Group) -> None:
        self._rewriting = rewriting
        self._inner = inner

    async def find_each(self, need: Need, *, k: int) -> tuple[Found, ...]:
        """Rewrite once, then ask each."""
        rewritten = await self._rewriting.apply(need)
        found = await self._inner.find_each(rewritten.need, k=k)
        return tuple(rewritten.mark(each) for each in found)


def _chat(scope: Scope, name: RewriterName) -> ChatModel:
    chat = scope.opened.session.chat
    if chat is None:
        raise SettingsError(
            f"{name} needs a language model",
            hint="name one: --model openai:MODEL, or --model local:qwen2.5-coder-1.5b",
        )
    return chat


def _rewriter(name: RewriterName, chat: ChatModel) -> Rewriter:
    match name:
        case "rewrite":
            return PlainRewriter(chat)
        case "hyde":
            return Hyde(chat)
        case "query2doc":
            return Query2Doc(chat)


def _ours(error: BudgetExceeded | ModelError) -> LeafwardError | None:
    """The error, where it is not the method's doing: see :class:`WatchedJudge`."""
    if isinstance(error, BudgetExceeded):
        return error if error.whole_job else None
    return None if error.of_request else error
