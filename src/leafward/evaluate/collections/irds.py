"""Collections of the ir_datasets catalogue (MacAvaney et al. 2021)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from leafward.corpus import safe_id
from leafward.errors import CorpusError, MissingExtra, SettingsError
from leafward.types import Collection, Document, Query


def read_irds(name: str, *, documents: bool) -> Collection:
    """Read a collection by its catalogue name, such as ``beir/scifact/test``.

    The name says which split it is. The first read may download the data.

    Raises:
        MissingExtra: ir_datasets is not installed.
        SettingsError: the catalogue has no such name.
        CorpusError: it lacks documents, queries or judgements, or cannot be downloaded.
    """
    dataset = _loaded(name)
    try:
        return _read(name, dataset, documents=documents)
    except (OSError, RuntimeError) as error:  # requests' errors are OSErrors
        raise CorpusError(
            f"irds:{name} cannot be read: {error}",
            hint="check the network, and what `ir_datasets` asks for to get this collection",
        ) from error


def _read(name: str, dataset: Any, *, documents: bool) -> Collection:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for qrel in dataset.qrels_iter():
        qrels[safe_id(qrel.query_id)][safe_id(qrel.doc_id)] = int(qrel.relevance)
    asked = (Query(safe_id(q.query_id), q.default_text()) for q in dataset.queries_iter())
    queries = tuple(query for query in asked if query.id in qrels)
    texts = tuple(_document(doc) for doc in dataset.docs_iter()) if documents else ()
    return Collection(f"irds:{name}", "", texts, queries, dict(qrels))


def _loaded(name: str) -> Any:
    try:
        import ir_datasets
    except ImportError as error:
        raise MissingExtra("ir_datasets", "irds") from error
    try:
        dataset = ir_datasets.load(name)
    except KeyError as error:
        raise SettingsError(
            f"ir_datasets has no {name!r}", hint="`ir_datasets list` shows all names"
        ) from error
    lacking = [part for part in ("docs", "queries", "qrels") if not dataset.has(part)]
    if lacking:
        raise CorpusError(
            f"irds:{name} has no {' and no '.join(lacking)}",
            hint="choose a part of it that has them, such as beir/scifact/test",
        )
    return dataset


def _document(doc: Any) -> Document:
    title = getattr(doc, "title", "") or ""
    text = getattr(doc, "text", None)
    body = doc.default_text() if text is None else text
    return Document(safe_id(doc.doc_id), body, title if text is not None else "")
