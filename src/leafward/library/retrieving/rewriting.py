"""A rewriter in front of a finder."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from leafward.concurrency import wait_drained
from leafward.errors import BudgetExceeded, LeafwardError, ModelError, ModelRejected, SettingsError
from leafward.evaluate.method import Rewriting
from leafward.library.retrieving.found import Finder, Found, Need
from leafward.library.retrieving.scope import Scope
from leafward.protocols import ChatModel
from leafward.search.driver import LIMITS, leave
from leafward.types import Rewrite, StopReason
from leafward.writing import Hyde, PlainRewriter, Query2Doc, Rewriter


class RewrittenFinder:
    """Puts the rewritten need to a finder.

    Where the model gives nothing usable, or a limit or the deadline comes first, the need goes on
    as it was, and what is found says ``degraded``.
    """

    def __init__(self, scope: Scope, rewriting: Rewriting, inner: Finder) -> None:
        self._scope = scope
        self._inner = inner
        self._rewriter = _rewriter(rewriting, _chat(scope, rewriting))

    async def find(self, need: Need, *, k: int) -> Found:
        """Rewrite, then find."""
        try:
            rewrite = await self._rewrite(need)
        except (BudgetExceeded, ModelError) as error:
            if isinstance(error, ModelRejected) and not error.of_request:
                raise
            found = await self._inner.find(need, k=k)
            stop = LIMITS.get(error.limit) if isinstance(error, BudgetExceeded) else None
            return _degraded(found, stop or found.stop, _ours(error))
        if rewrite is None:
            return _degraded(await self._inner.find(need, k=k), "deadline", None)
        words = rewrite.words or rewrite.expression
        return await self._inner.find(replace(need, text=rewrite.expression, words=words), k=k)

    async def _rewrite(self, need: Need) -> Rewrite | None:
        """The rewrite, or None where the deadline passed first."""
        task = asyncio.ensure_future(self._rewriter.rewrite(replace(need.query, text=need.text)))
        if await wait_drained(task, seconds=need.left):
            return task.result()
        await leave([task], self._scope.opened.stragglers)
        return None


def _chat(scope: Scope, rewriting: Rewriting) -> ChatModel:
    chat = scope.opened.session.chat
    if chat is None:
        raise SettingsError(
            f"{rewriting} needs a language model",
            hint="name one: --model openai:MODEL, or --model local:qwen2.5-coder-1.5b",
        )
    return chat


def _rewriter(name: Rewriting, chat: ChatModel) -> Rewriter:
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


def _degraded(found: Found, stop: StopReason, failure: LeafwardError | None) -> Found:
    return replace(found, degraded=True, stop=stop, failure=found.failure or failure)
