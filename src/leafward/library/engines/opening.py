"""From a name to an engine."""

from __future__ import annotations

from pathlib import Path

from leafward.engines.boolean import BooleanEngine
from leafward.engines.sql import SqlEngine
from leafward.library.engines.derived import boolean_engine
from leafward.library.engines.names import EngineName, IndexKind, parse_engine
from leafward.library.engines.opened import (
    IndexEngine,
    OpenEngine,
    PlainBoolean,
    SqlFile,
    TextEngine,
)
from leafward.library.engines.services import open_service
from leafward.library.index import Index
from leafward.library.opening import open_index
from leafward.models import Stop
from leafward.protocols import SearchEngine
from leafward.settings import Settings


def open_engine(
    name: str | EngineName,
    *,
    model: str | None = None,
    embedder: str | None = None,
    settings: Settings | None = None,
    stop: Stop | None = None,
) -> OpenEngine:
    """Open an engine by name; close it with ``aclose``, or use it as an async context manager.

    Args:
        name: ``boolean:INDEX``, ``bm25:INDEX``, ``dense:INDEX``, ``hybrid:INDEX`` or ``tree:INDEX``
            over an index (``boolean:`` also over a folder that
            :meth:`leafward.engines.boolean.BooleanEngine.build` made), ``sql:FILE`` over an SQLite
            file, ``pubmed`` or ``trials``.
        model: chat model of ``tree``; without one (here and in the settings) embeddings judge.
        embedder: must give the vectors that the index was built with, which is the default.
        stop: set it from elsewhere to end searches after the calls in flight.

    Raises:
        SettingsError: there is no engine of this name.
        IndexNotFound: there is no finished build at the path.
        StoreError: the index cannot be read.
    """
    asked = parse_engine(name) if isinstance(name, str) else name
    path = Path(asked.target).expanduser().absolute()
    if asked.kind == "sql":
        return SqlFile(str(asked), SqlEngine.open(path))
    if asked.kind == "pubmed" or asked.kind == "trials":
        return open_service(asked.kind, settings or Settings(), stop)
    if asked.kind == "boolean" and (path / "documents.json").is_file():
        return PlainBoolean(str(asked), BooleanEngine.open(path))
    index = open_index(path, model=model, embedder=embedder, settings=settings, stop=stop)
    try:
        return IndexEngine(str(asked), index, _over(index, asked.kind))
    except BaseException:
        index.close()
        raise


def _over(index: Index, kind: IndexKind) -> SearchEngine:
    if kind == "boolean":
        return boolean_engine(index.path, index.opened.snapshot)
    return TextEngine(index.retriever(kind))
