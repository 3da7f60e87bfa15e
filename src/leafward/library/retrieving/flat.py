"""The plain baselines: BM25 on the index's words, cosine on its vectors."""

from __future__ import annotations

import asyncio

from leafward.library.retrieving.found import Found, Need
from leafward.library.retrieving.scope import Scope


class Bm25Finder:
    """BM25 over the index."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def find(self, need: Need, *, k: int) -> Found:
        """Look up the need's words, in a thread."""
        opened = self._scope.opened
        mask = opened.live(need.query.excluded_ids, self._scope.where)
        place = opened.snapshot.tree.position_of
        live = None if mask is None else (lambda doc_id: bool(mask[place(doc_id)]))
        ranking = await asyncio.to_thread(opened.bm25.rank, need.words, k=k, live=live)
        return Found(ranking.hits, total=ranking.total)


class DenseFinder:
    """Cosine over the index."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def find(self, need: Need, *, k: int) -> Found:
        """Embed the need's text and compare, in a thread."""
        opened = self._scope.opened
        mask = opened.live(need.query.excluded_ids, self._scope.where)
        ranking = await asyncio.to_thread(opened.dense.rank, need.text, k=k, live=mask)
        return Found(ranking.hits, total=ranking.total)
