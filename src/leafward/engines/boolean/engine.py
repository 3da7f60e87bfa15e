"""The engine: expressions of PubMed's language over a local corpus."""

from __future__ import annotations

import asyncio
import json
import shutil
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from leafward.engines.boolean.analysis import NAME, analyzer
from leafward.engines.boolean.compiling import Compiler
from leafward.engines.boolean.index import (
    DOCUMENTS,
    ORDER,
    POSITION_BITS,
    POSITION_MASK,
    write_index,
)
from leafward.engines.boolean.parser import parse
from leafward.engines.links import links_to
from leafward.errors import IndexDamaged
from leafward.types import Document, Hit, Ranking

if TYPE_CHECKING:
    import tantivy

Order = Literal["date", "relevance"]
"""Newest first (then in the order of the corpus), or by BM25 (then by document id)."""

_DIGITS = 6
"""Significant digits of a score; beyond them a sum may differ with the order of its parts."""


class BooleanEngine:
    """Executes PubMed's query language over an index on disk; see ``docs/boolean.md``.

    In order of date a hit's score is its date as the number yyyymmdd, 0 where unknown. Safe in
    threads.
    """

    def __init__(self, index: tantivy.Index, doc_ids: list[str], *, order: Order = "date") -> None:
        index.config_reader(reload_policy="manual")  # it never changes: no thread need watch it
        self._searcher: Any = index.searcher()
        self._compiler = Compiler(self._searcher, index.schema)
        self._doc_ids = doc_ids
        self._dated: list[Hit | None] = [None] * len(doc_ids)
        self._order: Order = order

    @staticmethod
    def build(folder: Path, documents: Iterable[Document]) -> None:
        """Index documents into an empty or new folder; their metadata becomes fields.

        Raises:
            StoreError: the folder holds something already, or cannot be written.
        """
        write_index(folder, documents)

    @classmethod
    def open(cls, folder: Path, *, order: Order = "date") -> BooleanEngine:
        """Open what :meth:`build` made; the folder may be on a read-only file system.

        Raises:
            IndexDamaged: it cannot be read, or was made by another version.
        """
        import tantivy

        links = links_to(folder)
        try:
            doc_ids = _read_ids(folder)
            index = tantivy.Index.open(str(links or folder))
            index.register_tokenizer(NAME, analyzer())
            engine = cls(index, doc_ids, order=order)
        except (OSError, ValueError) as error:
            if links is not None:
                shutil.rmtree(links, ignore_errors=True)
            raise _damaged(f"the Boolean index {folder} cannot be read: {error}") from error
        if links is not None:
            weakref.finalize(engine, shutil.rmtree, links)
        if engine._searcher.num_docs != len(doc_ids):
            counts = f"{engine._searcher.num_docs} documents, its list {len(doc_ids)}"
            raise _damaged(f"the Boolean index {folder} holds {counts}")
        return engine

    @property
    def count(self) -> int:
        """Documents that the index holds."""
        return len(self._doc_ids)

    @property
    def syntax(self) -> str:
        """PubMed's query language."""
        return "pubmed"

    async def search(self, expression: str, *, k: int, order: Order | None = None) -> Ranking:
        """As :meth:`find`, in a thread.

        Raises:
            QuerySyntaxError: the expression is malformed, or beyond a limit.
        """
        return await asyncio.to_thread(self.find, expression, k=k, order=order)

    def find(self, expression: str, *, k: int, order: Order | None = None) -> Ranking:
        """The first ``k`` documents that an expression finds; ``total`` counts them all.

        Raises:
            QuerySyntaxError: the expression is malformed, or beyond a limit.
        """
        query = self._compiler.compile(parse(expression))
        k = min(k, len(self._doc_ids))  # tantivy makes room for as many as are asked for
        if (order or self._order) == "relevance":
            return self._by_relevance(query, k)
        found = self._searcher.search(query, max(k, 1), order_by_field=ORDER)
        values = [value for value, _ in found.hits[: max(k, 0)]]
        return Ranking(tuple([self._hit(value) for value in values]), total=found.count)

    def _hit(self, value: int) -> Hit:
        position = POSITION_MASK - (value & POSITION_MASK)
        hit = self._dated[position]
        if hit is None:
            hit = Hit(self._doc_ids[position], float(value >> POSITION_BITS))
            self._dated[position] = hit
        return hit

    def _by_relevance(self, query: tantivy.Query, k: int) -> Ranking:
        limit = max(k, 1)
        while True:
            found = self._searcher.search(query, limit + 1)
            scores = [float(f"{score:.{_DIGITS}g}") for score, _ in found.hits]
            # Equals may go on beyond the limit: then their order by id is not known yet.
            if len(scores) <= limit or scores[limit] < scores[limit - 1]:
                break
            limit = min(4 * limit, len(self._doc_ids))
        values = self._searcher.fast_field_values(ORDER, [address for _, address in found.hits])
        ids = (self._doc_ids[POSITION_MASK - (value & POSITION_MASK)] for value in values)
        ranked = sorted(zip((-score for score in scores), ids, strict=True))[: max(k, 0)]
        hits = tuple(Hit(doc_id, -score) for score, doc_id in ranked)
        return Ranking(hits, total=found.count)


def _read_ids(folder: Path) -> list[str]:
    content = json.loads((folder / DOCUMENTS).read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("analysis") != NAME:
        raise ValueError(f"{DOCUMENTS} was written by another version")
    doc_ids: list[str] = content["documents"]
    return doc_ids


def _damaged(message: str) -> IndexDamaged:
    return IndexDamaged(message, hint="build it again from its corpus")
