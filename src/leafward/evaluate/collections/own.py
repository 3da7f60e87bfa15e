"""A user's own collection: queries with their relevant documents in one JSONL file."""

from __future__ import annotations

from pathlib import Path

from leafward.corpus import read_corpus
from leafward.corpus.beir import beir_file
from leafward.corpus.problems import Ids, OnProblem, ProblemLog, Rejected
from leafward.corpus.rows import query_of
from leafward.errors import CorpusError
from leafward.evaluate.collections.rows import (
    Row,
    check_documents,
    check_exclusions,
    read_rows,
    relevant_ids,
)
from leafward.types import Collection, Document, Query

QUERIES = "queries.jsonl"
FIELD = "relevant"
_CORPORA = ("corpus.jsonl", "corpus.jsonl.gz", "corpus.csv", "corpus.csv.gz", "corpus", "documents")


def own_file(source: Path) -> Path | None:
    """The file of queries that a path names or a folder holds, where it is of this kind."""
    path = beir_file(source, QUERIES) if source.is_dir() else source
    if path is None or not path.name.endswith((".jsonl", ".jsonl.gz")) or not path.is_file():
        return None
    rows = read_rows(path, ProblemLog("skip"))
    return path if any(FIELD in row for _, row in rows) else None


def read_own(path: Path, split: str, *, documents: bool, on_problem: OnProblem) -> Collection:
    """Read queries with ``id``, ``text``, ``relevant`` and, where wanted, ``excluded_ids``.

    ``relevant`` is a list of document ids or an object of grades. Rows may carry a ``split``; those
    of other splits are passed over. The corpus lies beside the file: ``corpus.jsonl``,
    ``corpus.csv`` or a folder ``corpus`` or ``documents``.

    Raises:
        CorpusError: a row that cannot be read, no query of this split, or no corpus.
    """
    log = ProblemLog(on_problem)
    ids = Ids(log)
    queries: list[Query] = []
    qrels: dict[str, dict[str, int]] = {}
    for place, row in read_rows(path, log):
        if str(row.get("split") or split) != split:
            continue
        try:
            query, judged = _query(row)
        except Rejected as rejected:
            log.reject(*place, rejected)
            continue
        if ids.claim(query.id, *place):
            queries.append(query)
            qrels[query.id] = judged
    if not queries:
        raise CorpusError(
            f"there is no query of the split {split!r}",
            path=path,
            hint='rows need "id", "text" and "relevant"; those with a "split" need this one',
        )
    check_exclusions(tuple(queries), qrels, path)
    texts = _corpus(path, on_problem) if documents else ()
    return Collection(path.parent.resolve().name, split, texts, tuple(queries), qrels)


def _query(row: Row) -> tuple[Query, dict[str, int]]:
    query = query_of(row)
    judged = relevant_ids(row.get(FIELD), FIELD)
    if not judged:
        raise Rejected("broken-line", f"query {query.id!r} names no relevant document")
    return query, judged


def _corpus(path: Path, on_problem: OnProblem) -> tuple[Document, ...]:
    for name in _CORPORA:
        if (path.parent / name).exists():
            corpus = read_corpus(path.parent / name)
            check_documents(corpus.problems, on_problem)
            return corpus.documents
    raise CorpusError(
        f"there is no corpus beside {path.name}",
        path=path.parent,
        hint=f"put one there as {_CORPORA[0]}, corpus.csv or a folder corpus, or name an index",
    )
