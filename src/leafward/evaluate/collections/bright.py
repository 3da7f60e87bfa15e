"""BRIGHT (Su et al. 2025): documents and examples by task, as its repository lays them out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from leafward.corpus import safe_id
from leafward.corpus.problems import Ids, OnProblem, ProblemLog, Rejected
from leafward.corpus.rows import document_of, query_of
from leafward.errors import CorpusError
from leafward.evaluate.collections.relevance import RELEVANCE
from leafward.evaluate.collections.rows import (
    SUFFIXES,
    Row,
    check_documents,
    check_exclusions,
    read_rows,
    relevant_ids,
)
from leafward.evaluate.files import read_json
from leafward.types import Collection, Document, Query

LONG = "long"
GOLD, GOLD_LONG = "gold_ids", "gold_ids_long"
_EXAMPLES = ("examples", "topics_original")
_NONE = "N/A"
_SHARD = re.compile(r"-\d+-of-\d+$")


@dataclass(frozen=True, slots=True)
class _Variant:
    """``gpt4_reason``, ``long`` or both with a ``+`` between them."""

    queries: str
    long: bool

    @classmethod
    def parse(cls, text: str) -> _Variant:
        parts = [part for part in text.split("+") if part]
        return cls("+".join(part for part in parts if part != LONG), LONG in parts)


def is_bright(folder: Path) -> bool:
    """Whether a folder holds BRIGHT's examples, or its topics as anserini-tools keep them."""
    return any(_tasks(folder / name) for name in _EXAMPLES)


def read_bright(
    folder: Path, task: str, variant: str, *, documents: bool, on_problem: OnProblem
) -> Collection:
    """Read a task: queries with exclusions and a definition of relevance, gold ids, documents.

    Files are JSONL (also ``.gz``) or Parquet, named after the task, in ``examples`` (or
    ``topics_original``) and ``documents``. ``variant`` takes the queries from a folder of that name
    (``gpt4_reason``), from ``topics_VARIANT``, or from ``rewrites_VARIANT.json``, which holds texts
    by task and query id; ``long`` takes ``long_documents`` and ``gold_ids_long``. A folder without
    documents gives a collection without.

    Raises:
        CorpusError: no such task or variant, or a row that cannot be read.
    """
    chosen = _Variant.parse(variant)
    log = ProblemLog(on_problem)
    files = _task_files(_folder(folder), task)
    queries, qrels = _examples(files, GOLD_LONG if chosen.long else GOLD, log)
    if chosen.queries:
        queries = _reworded(folder, task, chosen.queries, queries, log)
    queries = tuple(replace(query, relevance=RELEVANCE.get(task, "")) for query in queries)
    check_exclusions(queries, qrels, folder)
    texts = _documents(folder, task, on_problem, long=chosen.long) if documents else ()
    name = "-".join(filter(None, (folder.resolve().name, task, variant)))
    return Collection(name, task, texts, queries, qrels)


def _folder(folder: Path) -> Path:
    return next(folder / name for name in _EXAMPLES if _tasks(folder / name))


def _tasks(folder: Path) -> dict[str, list[Path]]:
    """Files by task; one task may be in several numbered shards."""
    tasks: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*")) if folder.is_dir() else ():
        suffix = next((s for s in SUFFIXES if path.name.endswith(s)), None)
        if suffix and not path.name.startswith("."):
            tasks.setdefault(_SHARD.sub("", path.name.removesuffix(suffix)), []).append(path)
    return tasks


def _task_files(folder: Path, task: str) -> list[Path]:
    tasks = _tasks(folder)
    if task not in tasks:
        raise CorpusError(
            f"there is no task {task!r}",
            path=folder,
            hint=f"name the task as the split, one of: {', '.join(tasks)}"
            if tasks
            else "put it there",
        )
    return tasks[task]


def _examples(
    files: list[Path], gold: str, log: ProblemLog
) -> tuple[tuple[Query, ...], dict[str, dict[str, int]]]:
    read = list(_queries(files, log, gold))
    judged = {query.id: grades for query, grades in read if grades}
    if not judged:
        raise CorpusError(
            f"no example has {gold}",
            path=files[0],
            hint="only the StackExchange tasks and Pony have long documents",
        )
    return tuple(query for query, _ in read if query.id in judged), judged


def _queries(
    files: list[Path], log: ProblemLog, gold: str
) -> Iterator[tuple[Query, dict[str, int]]]:
    ids = Ids(log)
    for path in files:
        for place, row in read_rows(path, log):
            try:
                query = query_of(row)
                judged = relevant_ids(row.get(gold), gold)
            except Rejected as rejected:
                log.reject(*place, rejected)
                continue
            if ids.claim(query.id, *place):
                yield replace(query, excluded_ids=query.excluded_ids - {_NONE}), judged


def _reworded(
    folder: Path, task: str, variant: str, queries: tuple[Query, ...], log: ProblemLog
) -> tuple[Query, ...]:
    texts = _texts(folder, task, variant, log)
    lacking = [query.id for query in queries if not texts.get(query.id, "").strip()]
    if lacking:
        raise CorpusError(
            f"the variant {variant!r} has no text for query {lacking[0]!r} of {task}",
            path=folder,
            hint="complete it, or choose another variant",
        )
    return tuple(replace(query, text=texts[query.id]) for query in queries)


def _texts(folder: Path, task: str, variant: str, log: ProblemLog) -> dict[str, str]:
    for name in (variant, f"topics_{variant}"):
        if Path(name).name == name and _tasks(folder / name):
            files = _task_files(folder / name, task)
            return {query.id: query.text for query, _ in _queries(files, log, GOLD)}
    for suffix in (".json", ".json.gz"):
        path = folder / f"rewrites_{variant}{suffix}"
        if path.is_file() and path.parent == folder:
            texts = read_json(path).get(task, {})
            return {safe_id(query_id): str(text) for query_id, text in texts.items()}
    raise CorpusError(
        f"there is no variant {variant!r} of the queries",
        path=folder,
        hint=f"choose one of: {', '.join(_variants(folder)) or 'none is here'}",
    )


def _variants(folder: Path) -> list[str]:
    names = [path.name for path in sorted(folder.iterdir()) if _tasks(path)]
    other = {*_EXAMPLES, "documents", "long_documents"}
    rewrites = (path.name.split(".")[0] for path in sorted(folder.glob("rewrites_*.json*")))
    return [
        *(name.removeprefix("topics_") for name in names if name not in other),
        *(name.removeprefix("rewrites_") for name in rewrites),
    ]


def _documents(
    folder: Path, task: str, on_problem: OnProblem, *, long: bool
) -> tuple[Document, ...]:
    place = folder / ("long_documents" if long else "documents")
    if not place.is_dir():
        return ()
    log = ProblemLog("skip")
    ids = Ids(log)
    documents: list[Document] = []
    for path in _task_files(place, task):
        for where, row in read_rows(path, log):
            try:
                document = _document(row)
            except Rejected as rejected:
                log.reject(*where, rejected)
                continue
            if ids.claim(document.id, *where):
                documents.append(document)
    check_documents(log.problems, on_problem)
    return tuple(documents)


def _document(row: Row) -> Document:
    return document_of({"id": row.get("id"), "text": row.get("content", row.get("text"))})
