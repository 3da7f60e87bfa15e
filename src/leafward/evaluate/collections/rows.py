"""Rows of JSONL and Parquet files, and what several formats read from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from leafward.corpus import safe_id
from leafward.corpus.lines import read_objects
from leafward.corpus.problems import OnProblem, Problem, ProblemLog, Rejected
from leafward.corpus.rows import id_list
from leafward.errors import CorpusError, MissingExtra
from leafward.types import JsonValue, Qrels, Query

Row = Mapping[str, JsonValue]
Place = tuple[Path, int]
"""A file and a line (of Parquet: a row) in it, from 1."""

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")


def read_rows(path: Path, log: ProblemLog) -> Iterator[tuple[Place, Row]]:
    """Rows of a JSONL (also ``.gz``) or Parquet file with their places.

    Raises:
        MissingExtra: a Parquet file, and pyarrow is not installed.
    """
    rows = _parquet(path) if path.suffix == ".parquet" else read_objects(path, log)
    return (((path, number), row) for number, row in rows)


def relevant_ids(value: JsonValue, field: str) -> dict[str, int]:
    """Grades by document id of ``[ids]`` or ``{id: grade}``; ids in a list have grade 1.

    Raises:
        Rejected: neither of them.
    """
    if isinstance(value, dict):
        return {safe_id(doc_id): _grade(grade, field) for doc_id, grade in value.items()}
    return {safe_id(doc_id): 1 for doc_id in id_list(value, field) if doc_id != "N/A"}


def check_documents(problems: Sequence[Problem], on_problem: OnProblem) -> None:
    """Refuse what was left out of a corpus, but for documents without a word.

    Well-known collections hold such documents (Cranfield's 471). Nothing can find them; where one
    is relevant it counts against recall, for every method alike.

    Raises:
        CorpusError: another problem, and problems are to be refused.
    """
    for problem in problems if on_problem == "refuse" else ():
        if problem.kind != "empty-text":
            log = ProblemLog("refuse")
            log.report(problem.path, problem.line, problem.kind, problem.message)


def check_exclusions(queries: tuple[Query, ...], qrels: Qrels, source: Path) -> None:
    """A query may not exclude what it is judged by, as BRIGHT's own evaluation asserts.

    Raises:
        CorpusError: one does.
    """
    for query in queries:
        judged = qrels[query.id]
        both = sorted(d for d in query.excluded_ids if judged.get(d, 0) > 0)
        if both:
            raise CorpusError(
                f"query {query.id!r} excludes document {both[0]!r}, which is relevant to it",
                path=source,
                hint="take the document out of excluded_ids or out of the judgements",
            )


def _grade(grade: JsonValue, field: str) -> int:
    if isinstance(grade, bool) or not isinstance(grade, int):
        raise Rejected("broken-line", f"{field} has a grade that is no whole number")
    return grade


def _parquet(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtra("pyarrow", "parquet") from error
    number = 0
    try:
        with ParquetFile(path) as file:
            for batch in file.iter_batches(1024):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (OSError, ArrowException) as error:
        raise CorpusError(
            f"cannot be read as Parquet: {error}", path=path, hint="fetch the file again"
        ) from error
