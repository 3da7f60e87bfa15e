"""BM25 over title and text, in a tantivy index on disk."""

from __future__ import annotations

import asyncio
import json
import shutil
import weakref
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leafward.engines.analysis import NAME, analyzer, valid
from leafward.engines.links import links_to
from leafward.engines.live import Live, predicate
from leafward.errors import IndexDamaged, StoreError
from leafward.types import Document, Hit, Ranking

if TYPE_CHECKING:
    import tantivy

_IDS = "documents.json"
_HEAP = 64_000_000
_DIGITS = 6
"""Significant digits of a score. Beyond them sums of single-precision floats may differ with the
order of the terms, so that equal documents would not tie."""


class Bm25Engine:
    """Ranks documents for free text with tantivy's BM25 (k1 = 1.2, b = 0.75).

    Any text is a query: its terms are looked up one by one, weighted by how often they occur in it,
    and no parser sees it. Equal scores are ordered by document id. Safe in threads.
    """

    def __init__(self, index: tantivy.Index, doc_ids: list[str]) -> None:
        index.config_reader(reload_policy="manual")  # it never changes: no thread need watch it
        self._index = index
        self._searcher: Any = index.searcher()
        self._doc_ids = doc_ids
        self._analyzer = analyzer()

    @staticmethod
    def build(folder: Path, documents: Iterable[Document]) -> None:
        """Index documents into an empty or new folder.

        Raises:
            StoreError: the folder holds something already, or cannot be written.
        """
        import tantivy

        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise StoreError(f"{folder} is not empty", hint="build into a new folder")
        index = tantivy.Index(_schema(), str(folder))
        index.register_tokenizer(NAME, analyzer())
        doc_ids = _add(index, documents)
        (folder / _IDS).write_text(json.dumps(doc_ids), encoding="utf-8")

    @classmethod
    def open(cls, folder: Path) -> Bm25Engine:
        """Open what :meth:`build` made; the folder may be on a read-only file system.

        Raises:
            IndexDamaged: it cannot be read.
        """
        import tantivy

        links = links_to(folder)
        try:
            doc_ids = json.loads((folder / _IDS).read_text(encoding="utf-8"))
            index = tantivy.Index.open(str(links or folder))
            index.register_tokenizer(NAME, analyzer())
            engine = cls(index, doc_ids)
            if links is not None:
                weakref.finalize(engine, shutil.rmtree, links)
        except (OSError, ValueError) as error:
            if links is not None:
                shutil.rmtree(links, ignore_errors=True)
            raise IndexDamaged(
                f"the lexical index {folder} cannot be read: {error}",
                hint="`leafward verify` says what is damaged; `leafward index` rebuilds it",
            ) from error
        if engine._searcher.num_docs != len(doc_ids):
            raise IndexDamaged(
                f"the lexical index {folder} holds {engine._searcher.num_docs} documents, "
                f"its list {len(doc_ids)}",
                hint="`leafward index` rebuilds it",
            )
        return engine

    @property
    def count(self) -> int:
        """Documents that the index holds."""
        return len(self._doc_ids)

    @property
    def syntax(self) -> str:
        """Free text: every string is a valid expression."""
        return "text"

    async def search(self, expression: str, *, k: int) -> Ranking:
        """Rank documents for free text; works in a thread, and never raises QuerySyntaxError."""
        return await asyncio.to_thread(self.rank, expression, k=k)

    def rank(self, text: str, *, k: int, live: Live | None = None) -> Ranking:
        """The best ``k`` documents, best first; ``total`` counts all that share a term.

        Args:
            live: a predicate on document ids, or a mask in the order in which they were indexed.
        """
        terms = Counter(self._analyzer.analyze(valid(text)))
        if not terms or k <= 0:
            return Ranking(())
        query = self._query(terms)
        k = min(k, len(self._doc_ids))  # tantivy makes room for as many as are asked for
        shows = predicate(live, self._doc_ids)
        limit = k if live is None else 4 * k
        while True:
            hits, total = self._top(query, limit)
            shown = [hit for hit in hits if shows(hit[1])]
            # The last score may go on beyond the limit: then the order by id is not known yet.
            settled = len(hits) <= limit or (len(shown) > k and shown[k][0] < shown[k - 1][0])
            if settled or limit >= len(self._doc_ids):
                break
            limit *= 4
        ranked = sorted((-score, self._doc_ids[position]) for score, position in shown)[:k]
        return Ranking(
            tuple(Hit(doc_id, -score) for score, doc_id in ranked),
            total=total if live is None else None,
        )

    def _top(self, query: tantivy.Query, limit: int) -> tuple[list[tuple[float, int]], int]:
        """Rounded scores with positions, best first, and the count of all matches."""
        # Counting makes tantivy score every match, which is also faster for very long queries.
        found: Any = self._searcher.search(query, limit + 1, count=True)
        positions = self._searcher.fast_field_values("position", [hit[1] for hit in found.hits])
        scores = (float(f"{hit[0]:.{_DIGITS}g}") for hit in found.hits)
        return list(zip(scores, positions, strict=True)), found.count

    def _query(self, terms: Counter[str]) -> tantivy.Query:
        import tantivy

        schema, query, should = self._index.schema, tantivy.Query, tantivy.Occur.Should
        return query.boolean_query(
            [
                (should, query.boost_query(query.term_query(schema, "body", term, "freq"), count))
                for term, count in sorted(terms.items())
            ]
        )


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", tokenizer_name=NAME, index_option="freq")
    builder.add_unsigned_field("position", fast=True)
    return builder.build()


def _add(index: tantivy.Index, documents: Iterable[Document]) -> list[str]:
    import tantivy

    writer = index.writer(_HEAP, 1)  # one thread: the same documents make the same segments
    doc_ids = []
    for position, document in enumerate(documents):
        entry = tantivy.Document()
        entry.add_text("body", valid(document.full_text))
        entry.add_unsigned("position", position)
        writer.add_document(entry)
        doc_ids.append(document.id)
    writer.commit()
    writer.wait_merging_threads()
    return doc_ids
