"""One tree search over an index: judge, reader, limits, and the trace that makes it repeatable."""

from __future__ import annotations

import dataclasses
from contextlib import nullcontext

from leafward.library.fingerprint import search_key
from leafward.library.judging import suited
from leafward.library.opened import Opened
from leafward.models import Budget, within
from leafward.protocols import Judge
from leafward.search import search_one
from leafward.settings import BudgetSettings, JudgeName, SearchSettings
from leafward.store import Where
from leafward.types import Query, SearchResult, Trace


class TreeSearch:
    """Runs searches of one kind over one snapshot; ``judge`` is a resolved name."""

    def __init__(self, opened: Opened, settings: SearchSettings, judge: JudgeName) -> None:
        self._opened = opened
        self._judge_name = judge
        self._settings = suited(settings, judge)

    @property
    def settings(self) -> SearchSettings:
        """Those that these searches really have: defaults suit the judge."""
        return self._settings

    def stored(self, query: Query, *, k: int, where: Where | None = None) -> Trace | None:
        """The trace that this very search left last time, where it cost something; else None."""
        return self._last(query.text, self._key(query, k, where))

    def make_judge(self) -> Judge:
        """The judge that these searches ask."""
        return self._opened.judge(self._judge_name, self._settings)

    async def run(
        self,
        query: Query,
        *,
        k: int,
        where: Where | None = None,
        judge: Judge | None = None,
        seconds: float | None = None,
    ) -> SearchResult:
        """Search, within this search's own limits on tokens and money where it has any.

        Args:
            judge: one that :meth:`make_judge` made, as it is or wrapped.
            seconds: until a deadline beside the one in the settings.
        """
        limits = search_limits(self._settings)
        with nullcontext() if limits is None else within(limits):
            return await self._search(query, k, where, judge or self.make_judge(), seconds)

    async def _search(
        self, query: Query, k: int, where: Where | None, judge: Judge, seconds: float | None
    ) -> SearchResult:
        opened = self._opened
        live = opened.live(query.excluded_ids, where)
        key = self._key(query, k, where)
        result = await search_one(
            opened.snapshot.tree,
            query,
            judge,
            self._until(seconds),
            reader=opened.reader(self._settings, live),
            live=live,
            k=k,
            arrivals=self._arrivals(query.text, key),
            stragglers=opened.stragglers,
        )
        return self._kept(result, key)

    def _until(self, seconds: float | None) -> SearchSettings:
        given = [each for each in (seconds, self._settings.deadline) if each is not None]
        return self._settings.model_copy(update={"deadline": min(given, default=None)})

    def _key(self, query: Query, k: int, where: Where | None) -> str:
        return search_key(
            query.text,
            self._settings,
            generation=self._opened.snapshot.fingerprint,
            judge=self._judge_key(k),
            relevance=query.relevance,
            excluded=query.excluded_ids,
            where=where or {},
        )

    def _judge_key(self, k: int) -> str:
        """Judge and model; how many hits are wanted decides only when a search may stop early."""
        stop = f" k={k}" if self._settings.patience is not None else ""
        return f"{self._judge_name} {self._opened.session.model}{stop}"

    def _arrivals(self, text: str, key: str) -> list[int]:
        """In which order this very search took its judgements last time.

        Without a barrier, slates depend on the order in which answers arrive. Taking them in the
        recorded order makes the same prompts again, which the cache answers.
        """
        if self._judge_name == "embedding":
            return []
        last = self._last(text, key)
        return [] if last is None else [step.slate.id for step in last.steps]

    def _last(self, text: str, key: str) -> Trace | None:
        return next(iter(self._opened.store.load_traces(query=text, key=key, limit=1)), None)

    def _kept(self, result: SearchResult, key: str) -> SearchResult:
        """Store the trace of a search that cost something; the caller gets it too."""
        if result.trace is None:
            return result
        trace = dataclasses.replace(result.trace, key=key)
        if self._judge_name != "embedding" and result.usage.calls:
            self._opened.store.save_trace(trace, generation=self._opened.snapshot.generation)
        return dataclasses.replace(result, trace=trace)


def search_limits(settings: SearchSettings) -> Budget | None:
    """The limits of one search on tokens and money, or None where it has none."""
    tokens, money = settings.max_tokens, settings.max_money
    if tokens is None and money is None:
        return None
    return Budget(BudgetSettings(tokens=tokens, money=money), whole_job=False)
