"""An open index: search it, read from it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from leafward.engines import Bm25Engine, DenseEngine
from leafward.errors import SettingsError
from leafward.library.building import stored_report
from leafward.library.judging import JudgeName
from leafward.library.portal import Portal
from leafward.library.reports import IndexReport
from leafward.library.searching import TreeSearch
from leafward.library.session import Session
from leafward.settings import SearchSettings
from leafward.store import BuildMeta, Snapshot, Store, Where
from leafward.types import (
    NO_USAGE,
    Document,
    Ranking,
    SearchHit,
    SearchResult,
    Tree,
    Usage,
)

Method = Literal["tree", "bm25", "dense"]


class Index:
    """A published generation of an index with the models that search it.

    Made by :func:`leafward.open` and :func:`leafward.build`; close it, or use it as a context
    manager. Methods block; those whose name begins with ``a`` are their async twins.
    """

    def __init__(
        self,
        path: Path,
        store: Store,
        snapshot: Snapshot,
        session: Session,
        *,
        report: IndexReport | None = None,
    ) -> None:
        self.path = path
        self.report = report
        self._store = store
        self._session = session
        # Ctrl-C ends the call that it hits; the index can be used again afterwards.
        self._portal = Portal(on_interrupt=session.stop.set, on_resume=session.stop.clear)
        self._stragglers: set[asyncio.Task[Any]] = set()
        self._snapshot = snapshot

    @property
    def tree(self) -> Tree:
        """The tree of this generation."""
        return self._snapshot.tree

    @property
    def meta(self) -> BuildMeta:
        """How this generation was built."""
        return self._snapshot.meta

    @property
    def build_report(self) -> IndexReport:
        """The report of the build that made this generation."""
        return self.report or stored_report(self._snapshot)

    @property
    def usage(self) -> Usage:
        """What this object's models have used so far."""
        return self._session.meter.total

    def document(self, doc_id: str) -> Document:
        """A document by id.

        Raises:
            SettingsError: the index holds no such document.
        """
        self._position(doc_id)
        return self._snapshot.document(doc_id)

    def summaries(self, doc_id: str) -> tuple[str, ...]:
        """The five summaries of a document, broad to specific; empty where none were made."""
        position = self._position(doc_id)
        texts = [self._snapshot.summaries([position], level)[0] for level in range(5)]
        return tuple(texts) if any(texts) else ()

    def search(
        self,
        text: str,
        *,
        k: int = 10,
        method: Method = "tree",
        judge: JudgeName = "auto",
        exclude: Collection[str] = (),
        where: Where | None = None,
        relevance: str = "",
        search: SearchSettings | None = None,
    ) -> SearchResult:
        """Find the ``k`` best documents for a need in words.

        Args:
            method: ``tree`` walks the tree; ``bm25`` and ``dense`` are the plain baselines.
            judge: who scores the nodes; ``auto`` takes embeddings without a language model, letters
                fused with embeddings for a local one, the listwise judge otherwise.
            exclude: document ids never to show.
            where: metadata conditions, field to value or to values of which one must match.
            relevance: what "relevant" means here, told to a language model.
            search: settings of this search alone.

        Raises:
            SettingsError: a judge without its model, or an unknown metadata field.
            ModelRejected: the provider refuses the first request (key, model name).
            Interrupted: Ctrl-C; answers in flight were stored.
        """
        return self._portal.call(
            lambda: self.asearch(
                text,
                k=k,
                method=method,
                judge=judge,
                exclude=exclude,
                where=where,
                relevance=relevance,
                search=search,
            )
        )

    async def asearch(
        self,
        text: str,
        *,
        k: int = 10,
        method: Method = "tree",
        judge: JudgeName = "auto",
        exclude: Collection[str] = (),
        where: Where | None = None,
        relevance: str = "",
        search: SearchSettings | None = None,
    ) -> SearchResult:
        """Async twin of :meth:`search`."""
        if not text.strip():
            raise SettingsError("the query is empty", hint="say what you are looking for")
        if k < 1:
            raise SettingsError(f"k is {k}", hint="ask for at least one hit")
        if method != "tree":
            return self._flat(method, text, k, exclude, where)
        return await TreeSearch(
            self._store,
            self._snapshot,
            self._session,
            search or self._session.settings.search,
            judge,
            self._stragglers,
        ).run(text, k=k, exclude=exclude, where=where, relevance=relevance)

    async def aclose(self) -> None:
        """Wait for calls that outlived their search, then close models and store."""
        while self._stragglers:
            await asyncio.wait(self._stragglers)
        await self._session.aclose()
        self._store.close()

    def close(self) -> None:
        """Blocking twin of :meth:`aclose`."""
        self._portal.call(self.aclose)
        self._portal.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Index:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    # --- the plain baselines

    @cached_property
    def _bm25(self) -> Bm25Engine:
        return Bm25Engine.open(self._snapshot.lexical)

    @cached_property
    def _dense(self) -> DenseEngine:
        return DenseEngine(
            self._snapshot.vectors(), self._snapshot.tree.leaves, self._session.embedder
        )

    def _flat(
        self,
        method: Literal["bm25", "dense"],
        text: str,
        k: int,
        exclude: Collection[str],
        where: Where | None,
    ) -> SearchResult:
        mask = self._snapshot.live(where, exclude) if where or exclude else None
        position_of = self._snapshot.tree.position_of
        live = None if mask is None else (lambda doc_id: bool(mask[position_of(doc_id)]))
        engine = self._bm25 if method == "bm25" else self._dense
        return self._flat_result(engine.rank(text, k=k, live=live))

    def _flat_result(self, ranking: Ranking) -> SearchResult:
        positions = [self._snapshot.tree.position_of(hit.doc_id) for hit in ranking.hits]
        titles = self._snapshot.titles(positions)
        hits = tuple(
            SearchHit(hit.doc_id, title, hit.score)
            for hit, title in zip(ranking.hits, titles, strict=True)
        )
        return SearchResult(hits, NO_USAGE, "exhausted", degraded=False)

    def _position(self, doc_id: str) -> int:
        try:
            return self._snapshot.tree.position_of(doc_id)
        except KeyError:
            raise SettingsError(
                f"the index holds no document {doc_id!r}",
                hint="`leafward tree INDEX` lists what it holds",
            ) from None
