"""An open index: search it, read from it."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path
from typing import TypeVar

from leafward.closing import AsyncClosing, Closing
from leafward.errors import SettingsError
from leafward.evaluate.method import Method, parse_method
from leafward.library.building import stored_report
from leafward.library.opened import Opened
from leafward.library.portal import Portal
from leafward.library.reports import IndexReport
from leafward.library.retrieving import (
    Answer,
    Scope,
    answer,
    make_finder,
    make_retriever,
)
from leafward.library.searching import TreeSearch
from leafward.library.session import Session
from leafward.protocols import Retriever
from leafward.settings import JudgeName, SearchSettings
from leafward.store import BuildMeta, Snapshot, Store, Where
from leafward.types import (
    Document,
    Query,
    SearchHit,
    SearchResult,
    Tree,
    Usage,
)

Result = TypeVar("Result")


class Index(Closing, AsyncClosing):
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
        self._snapshot = snapshot
        self.opened = Opened(store, snapshot, session)

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
        method: str | Method = "tree",
        judge: JudgeName = "auto",
        exclude: Collection[str] = (),
        where: Where | None = None,
        relevance: str = "",
        search: SearchSettings | None = None,
    ) -> SearchResult:
        """Find the ``k`` best documents for a need in words.

        Args:
            method: ``tree`` walks the tree; ``bm25``, ``dense`` and ``hybrid`` are the plain
                baselines; all others are in docs/methods.md, such as ``hyde>tree++``.
            judge: who scores the nodes; ``auto`` takes embeddings without a language model, letters
                fused with embeddings for a local one, the listwise judge otherwise.
            exclude: document ids never to show.
            where: metadata conditions, field to value or to values of which one must match.
            relevance: what "relevant" means here, told to a language model.
            search: settings of this search alone.

        Raises:
            SettingsError: an unknown method or metadata field, or a judge without its model.
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
        method: str | Method = "tree",
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
        settings = search or self.search_settings
        asked = parse_method(method) if isinstance(method, str) else method
        scope = Scope(self.opened, settings, judge, where)
        query = Query("", text, relevance, frozenset(exclude))
        if str(asked) == "tree":
            tree = TreeSearch(self.opened, settings, scope.judge_name("auto"))
            return await tree.run(query, k=k, where=where)
        return self._result(await answer(make_finder(asked, scope), query, settings, k=k))

    def retriever(self, method: str | Method, *, search: SearchSettings | None = None) -> Retriever:
        """A method over this index as a retriever: query in, ranking out.

        Raises:
            MethodError: the method cannot be read.
            SettingsError: it needs a language model, and none is configured.
        """
        asked = parse_method(method) if isinstance(method, str) else method
        return make_retriever(asked, self, search=search)

    def call(self, function: Callable[[], Awaitable[Result]]) -> Result:
        """Run an async function that uses this index on the index's own event loop.

        Its models keep their connections on that loop; Ctrl-C ends what they are doing.
        """
        return self._portal.call(function)

    @property
    def search_settings(self) -> SearchSettings:
        """How this index is searched, unless a search says otherwise."""
        return self._session.settings.search

    async def aclose(self) -> None:
        """Wait for calls that outlived their search, then close models and store."""
        while self.opened.stragglers:
            await asyncio.wait(self.opened.stragglers)
        await self._session.aclose()
        self._store.close()

    def close(self) -> None:
        """Blocking twin of :meth:`aclose`."""
        self._portal.call(self.aclose)
        self._portal.close()

    def _result(self, given: Answer) -> SearchResult:
        found = given.found
        titles = self.opened.titles([hit.doc_id for hit in found.hits])
        hits = tuple(
            dataclasses.replace(
                found.details.get(hit.doc_id, SearchHit(hit.doc_id, title, hit.score)),
                title=title,
                score=hit.score,
            )
            for hit, title in zip(found.hits, titles, strict=True)
        )
        return SearchResult(hits, given.usage, found.stop, found.degraded, found.trace)

    def _position(self, doc_id: str) -> int:
        try:
            return self._snapshot.tree.position_of(doc_id)
        except KeyError:
            raise SettingsError(
                f"the index holds no document {doc_id!r}",
                hint="`leafward tree INDEX` lists what it holds",
            ) from None
