"""One tree search over an index: judge, reader, limits, and the trace that makes it repeatable."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Collection
from contextlib import nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt

from leafward.library.fingerprint import search_key
from leafward.library.judging import JudgeName, Resources, make_judge, resolve_judge, suited
from leafward.library.reader import TreeReader
from leafward.library.session import Session
from leafward.models import Budget, within
from leafward.search import search_one
from leafward.settings import BudgetSettings, SearchSettings
from leafward.store import Snapshot, Store, Where
from leafward.types import Query, SearchResult


class TreeSearch:
    """Runs searches of one kind over one snapshot."""

    def __init__(
        self,
        store: Store,
        snapshot: Snapshot,
        session: Session,
        settings: SearchSettings,
        judge: JudgeName,
        stragglers: set[asyncio.Task[Any]],
    ) -> None:
        self._store = store
        self._snapshot = snapshot
        self._session = session
        self._judge_name = resolve_judge(judge, session.model)
        self._settings = suited(settings, self._judge_name)
        self._stragglers = stragglers

    async def run(
        self,
        text: str,
        *,
        k: int,
        exclude: Collection[str],
        where: Where | None,
        relevance: str,
    ) -> SearchResult:
        """Search, within this search's own limits on tokens and money where it has any."""
        limits = self._limits()
        with nullcontext() if limits is None else within(Budget(limits)):
            return await self._search(text, k, exclude, where, relevance)

    def _limits(self) -> BudgetSettings | None:
        tokens, money = self._settings.max_tokens, self._settings.max_money
        if tokens is None and money is None:
            return None
        return BudgetSettings(tokens=tokens, money=money)

    async def _search(
        self,
        text: str,
        k: int,
        exclude: Collection[str],
        where: Where | None,
        relevance: str,
    ) -> SearchResult:
        live = self._live(exclude, where)
        query = Query("", text, relevance, frozenset(exclude))
        key = search_key(
            text,
            self._settings,
            generation=self._snapshot.fingerprint,
            judge=self._judge_key(k),
            relevance=relevance,
            excluded=exclude,
            where=where or {},
        )
        result = await search_one(
            self._snapshot.tree,
            query,
            make_judge(self._judge_name, self._resources(), self._settings),
            self._settings,
            reader=self._reader(live),
            live=live,
            k=k,
            arrivals=self._arrivals(text, key),
            stragglers=self._stragglers,
        )
        return self._kept(result, key)

    def _judge_key(self, k: int) -> str:
        """Judge and model; how many hits are wanted decides only when a search may stop early."""
        stop = f" k={k}" if self._settings.patience is not None else ""
        return f"{self._judge_name} {self._session.model}{stop}"

    def _live(self, exclude: Collection[str], where: Where | None) -> npt.NDArray[np.bool_] | None:
        return self._snapshot.live(where, exclude) if exclude or where else None

    def _reader(self, live: npt.NDArray[np.bool_] | None) -> TreeReader:
        return TreeReader(
            self._snapshot.tree, self._snapshot, live=live, live_share=self._settings.live_share
        )

    def _resources(self) -> Resources:
        chat = None if self._judge_name == "embedding" else self._session.chat
        return Resources(
            chat, self._session.embedder, self._snapshot.node_vectors(), self._snapshot.vectors()
        )

    def _arrivals(self, text: str, key: str) -> list[int]:
        """In which order this very search took its judgements last time.

        Without a barrier, slates depend on the order in which answers arrive. Taking them in the
        recorded order makes the same prompts again, which the cache answers.
        """
        if self._judge_name == "embedding":
            return []
        traces = self._store.load_traces(query=text, key=key, limit=1)
        return [step.slate.id for trace in traces for step in trace.steps]

    def _kept(self, result: SearchResult, key: str) -> SearchResult:
        """Store the trace of a search that cost something; the caller gets it too."""
        if result.trace is None:
            return result
        trace = dataclasses.replace(result.trace, key=key)
        if self._judge_name != "embedding" and result.usage.calls:
            self._store.save_trace(trace, generation=self._snapshot.generation)
        return dataclasses.replace(result, trace=trace)
