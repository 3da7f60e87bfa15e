"""Queries and relevance judgements of a BEIR folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leafward.corpus.ids import safe_id
from leafward.corpus.lines import check_decodable, read_lines, read_objects
from leafward.corpus.problems import Ids, OnProblem, Problem, ProblemLog, Rejected, quoted
from leafward.corpus.rows import query_of
from leafward.errors import CorpusError
from leafward.types import Qrel, Query

_COLUMNS = ("query-id", "corpus-id", "score")


def beir_file(folder: Path, name: str) -> Path | None:
    """``name`` or ``name.gz`` in a folder, the plain one first; None where neither is there."""
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    return None


def read_queries(
    folder: Path, *, on_problem: OnProblem = "refuse", problems: list[Problem] | None = None
) -> tuple[Query, ...]:
    """Read ``queries.jsonl`` or ``queries.jsonl.gz``, with the ids that each query excludes.

    A test collection with a hole in it gives wrong figures, so the default is to refuse; with
    "skip" what was left out is appended to ``problems``.

    Raises:
        CorpusError: there is no such file, or a problem is to be refused.
    """
    path = beir_file(folder, "queries.jsonl")
    if path is None:
        raise CorpusError(
            "there is no queries.jsonl or queries.jsonl.gz",
            path=folder,
            hint="name the folder of a BEIR data set, which holds corpus, queries and qrels",
        )
    log = ProblemLog(on_problem)
    queries = tuple(_queries(path, log))
    _hand_over(log, problems)
    return queries


def read_qrels(
    folder: Path,
    split: str,
    *,
    on_problem: OnProblem = "refuse",
    problems: list[Problem] | None = None,
) -> tuple[Qrel, ...]:
    """Read the judgements ``qrels/SPLIT.tsv`` (or ``.tsv.gz``): query-id, corpus-id, score.

    Problems as in :func:`read_queries`.

    Raises:
        CorpusError: there is no such split (the hint names those there are), or a problem is to
            be refused.
    """
    available = splits(folder)
    if split not in available:
        raise CorpusError(
            f"there are no judgements for the split {quoted(split)}",
            path=folder / "qrels",
            hint=_split_hint(available),
        )
    log = ProblemLog(on_problem)
    qrels = tuple(_qrels(available[split], log))
    _hand_over(log, problems)
    return qrels


def splits(folder: Path) -> dict[str, Path]:
    """Names of the splits that have judgements, sorted, and their files."""
    found: dict[str, Path] = {}
    for suffix in (".tsv.gz", ".tsv"):  # the plain file wins
        for path in (folder / "qrels").glob(f"*{suffix}"):
            if not path.name.startswith("."):
                found[path.name.removesuffix(suffix)] = path
    return dict(sorted(found.items()))


def _split_hint(available: dict[str, Path]) -> str:
    if available:
        return f"choose one of: {', '.join(available)}"
    return "a BEIR folder keeps judgements as qrels/test.tsv, with tabs and a header"


def _hand_over(log: ProblemLog, problems: list[Problem] | None) -> None:
    if problems is not None:
        problems.extend(log.problems)


def _queries(path: Path, log: ProblemLog) -> Iterator[Query]:
    ids = Ids(log)
    for line, row in read_objects(path, log):
        try:
            query = query_of(row)
        except Rejected as rejected:
            log.reject(path, line, rejected)
            continue
        if ids.claim(query.id, path, line):
            yield query


def _qrels(path: Path, log: ProblemLog) -> Iterator[Qrel]:
    order = (0, 1, 2)
    ids = Ids(log)
    for number, line in read_lines(path, log):
        cells = line.rstrip("\r\n").split("\t")
        if number == 1 and not _is_judgement(cells):
            order = _column_order(cells)
            continue
        if not line.strip():
            continue
        try:
            qrel = _qrel(cells, order)
        except Rejected as rejected:
            log.reject(path, number, rejected)
            continue
        if ids.claim(f"{qrel.query_id}\t{qrel.doc_id}", path, number):
            yield qrel


def _is_judgement(cells: list[str]) -> bool:
    """True for a first line that is no header but already a judgement."""
    return len(cells) == 3 and cells[2].strip().lstrip("-").isdecimal()


def _column_order(header: list[str]) -> tuple[int, int, int]:
    names = [cell.strip().casefold().replace("_", "-") for cell in header]
    if not set(_COLUMNS) <= set(names):
        return 0, 1, 2
    query, document, score = (names.index(name) for name in _COLUMNS)
    return query, document, score


def _qrel(cells: list[str], order: tuple[int, int, int]) -> Qrel:
    for cell in cells:
        check_decodable(cell)
    if len(cells) <= max(order):
        raise Rejected("broken-line", f"{len(cells)} fields instead of {', '.join(_COLUMNS)}")
    query_id, doc_id, score = (cells[column].strip() for column in order)
    if not query_id or not doc_id:
        raise Rejected("broken-line", "an id is empty")
    try:
        return Qrel(safe_id(query_id), safe_id(doc_id), int(score))
    except ValueError as error:
        raise Rejected("broken-line", f"the score {quoted(score)} is no whole number") from error
