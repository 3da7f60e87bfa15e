"""TREC's runs and judgements, read and written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from leafward.corpus import safe_id
from leafward.corpus.lines import read_lines
from leafward.corpus.problems import ProblemLog
from leafward.errors import CorpusError
from leafward.evaluate.files import read_json, write_lines
from leafward.evaluate.order import trec_order
from leafward.types import Hit, Qrels, Ranking

_SPACE = re.compile(r"\s")

Value = TypeVar("Value", int, float)


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Read a run, plain or ``.gz``: TREC's six columns, or BRIGHT's JSON ``{query: {doc: score}}``.

    Columns are separated by blanks; where a line has exactly six parts between tabs, by tabs, so
    that ids may hold blanks. Ranks and tags are passed over, as trec_eval does.

    Raises:
        CorpusError: a line that is none, a score that is no finite number, a document twice.
    """
    if path.name.removesuffix(".gz").endswith(".json"):
        return _read_json_run(path)
    run: dict[str, dict[str, float]] = {}
    for line, (query_id, _, doc_id, _, score, _) in _rows(path, 6, "query Q0 doc rank score tag"):
        _put(run, query_id, doc_id, _score(score, path, line), path, line)
    return run


def write_run(path: Path, rankings: Mapping[str, Ranking], *, tag: str = "leafward") -> None:
    """Write rankings as a TREC run, in the order in which trec_eval will score them.

    All or nothing, and on the disk on return. Blanks in the tag go. Columns are separated by
    spaces, or by tabs where an id holds a blank, which :func:`read_run` reads back.
    """
    name = _SPACE.sub("", tag) or "leafward"
    ids = _SafeIds()
    rows = [
        (ids[query_id], "Q0", ids[hit.doc_id], str(rank), repr(float(hit.score)), name)
        for query_id, ranking in rankings.items()
        for rank, hit in enumerate(_ordered(query_id, ranking), start=1)
    ]
    write_lines(path, map(ids.separator.join, rows))


def read_qrels_file(path: Path) -> dict[str, dict[str, int]]:
    """Read TREC judgements ``query iteration doc relevance``, plain or ``.gz``.

    Raises:
        CorpusError: a line that is none, or a pair judged twice.
    """
    qrels: dict[str, dict[str, int]] = {}
    for line, (query_id, _, doc_id, grade) in _rows(path, 4, "query iteration doc relevance"):
        try:
            _put(qrels, query_id, doc_id, int(grade), path, line)
        except ValueError:
            raise broken(f"the relevance {grade!r} is no whole number", path, line) from None
    return qrels


def write_qrels(path: Path, qrels: Qrels) -> None:
    """Write judgements in TREC's four columns; blanks in ids as in :func:`write_run`."""
    ids = _SafeIds()
    rows = [
        (ids[query_id], "0", ids[doc_id], str(grade))
        for query_id, judgements in qrels.items()
        for doc_id, grade in judgements.items()
    ]
    write_lines(path, map(ids.separator.join, rows))


def _ordered(query_id: str, ranking: Ranking) -> Iterator[Hit]:
    hits = {hit.doc_id: hit for hit in ranking.hits}
    return (hits[doc_id] for doc_id in trec_order(query_id, ranking))


class _SafeIds(dict[str, str]):
    """Safe forms of the ids in a file, each made once."""

    def __missing__(self, raw: str) -> str:
        self[raw] = safe = safe_id(raw)
        return safe

    @property
    def separator(self) -> str:
        """What may stand between these ids: a space, or a tab where one of them holds a blank."""
        return "\t" if any(map(_SPACE.search, self.values())) else " "


def _rows(path: Path, width: int, columns: str) -> Iterator[tuple[int, list[str]]]:
    ids = _SafeIds()
    for number, line in read_lines(path, ProblemLog("refuse")):
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) != width:
            cells = line.split()
        if not cells:
            continue
        if len(cells) != width:
            raise broken(f"{len(cells)} columns instead of {columns}", path, number)
        cells[0], cells[2] = ids[cells[0]], ids[cells[2]]
        yield number, cells


def _put(
    table: dict[str, dict[str, Value]],
    query_id: str,
    doc_id: str,
    value: Value,
    path: Path,
    line: int | None,
) -> None:
    row = table.setdefault(query_id, {})
    if doc_id in row:
        raise broken(f"query {query_id!r} has document {doc_id!r} twice", path, line)
    row[doc_id] = value


def _score(text: object, path: Path, line: int | None) -> float:
    try:
        score = float(str(text))
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise broken(f"the score {text!r} is no finite number", path, line)
    return score


def broken(message: str, path: Path, line: int | None) -> CorpusError:
    """The error of a TREC file that cannot be read at some line."""
    return CorpusError(
        message, path=path, line=line, hint="correct this line; results need every line to be right"
    )


def _read_json_run(path: Path) -> dict[str, dict[str, float]]:
    content = read_json(path)
    if not isinstance(content, dict):
        raise broken("the JSON is no object of queries", path, None)
    run: dict[str, dict[str, float]] = {}
    for query_id, scores in content.items():
        if not isinstance(scores, dict):
            raise broken(f"query {query_id!r} has no object of scores", path, None)
        row = run.setdefault(safe_id(query_id), {})
        row.update((safe_id(doc), _score(score, path, None)) for doc, score in scores.items())
    return run
