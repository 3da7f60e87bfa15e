"""Needs with what is known to meet them: BEIR folders, SQL questions, rows of your own."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from leafward.corpus import read_qrels
from leafward.corpus.beir import beir_file
from leafward.corpus.lines import read_objects
from leafward.corpus.problems import Ids, ProblemLog, Rejected
from leafward.corpus.rows import query_of
from leafward.errors import CorpusError
from leafward.evaluate.collections.rows import relevant_ids
from leafward.library.writing.asking import PARTS, told_pico
from leafward.types import JsonValue, Need

TEXT_FIELDS = ("text", "query", "question")
RELEVANT_FIELDS = ("relevant", "relevant_ids", "publication_pmids")
GOLD_FIELDS = ("sql", "gold")
SPLIT_FIELDS = ("split", "question_split")
QUESTIONS = "questions.jsonl"

Row = Mapping[str, JsonValue]


def read_needs(
    source: str | Path, *, split: str = "", limit: int | None = None, seed: int = 0
) -> tuple[Need, ...]:
    """Read the needs of a split, in the order of the source.

    Args:
        source: a BEIR folder, whose queries may have a field ``pico``; a folder with
            ``questions.jsonl``; or a JSONL file. Its rows have an id, a text (or ``query`` or
            ``question``, or only ``pico`` with any of P, I, C and O), and what meets the need:
            ``relevant`` as ids or grades by id, or ``sql``; ``split`` where there are several.
        split: of a BEIR folder the name of its judgements; of rows their field, empty for all.
        limit: draw so many with ``seed``.

    Raises:
        CorpusError: there is no such source or split, or a row cannot be read.
    """
    path = Path(source).expanduser()
    if path.is_dir() and not (path / QUESTIONS).is_file():
        needs = _judged(path, split)
    else:
        needs = list(_listed(path / QUESTIONS if path.is_dir() else path, split))
    if not needs:
        raise CorpusError(
            f"there are no needs{f' of the split {split!r}' if split else ''}",
            path=path,
            hint="check the name of the split, or leave it out",
        )
    if limit is not None and limit < len(needs):
        kept = sorted(random.Random(seed).sample(range(len(needs)), limit))
        needs = [needs[place] for place in kept]
    return tuple(needs)


def need_of(row: Row) -> Need:
    """A need from a row; see :func:`read_needs`.

    Raises:
        Rejected: no id, neither a text nor a part of PICO, or a field of the wrong type.
    """
    pico = _pico(row.get("pico"))
    text = next((row[name] for name in TEXT_FIELDS if row.get(name)), None) or told_pico(pico)
    query = query_of({**row, "text": text})
    relevant = _first(row, RELEVANT_FIELDS)
    gold = row.get(_first(row, GOLD_FIELDS) or "")
    if not isinstance(gold, str | None):
        raise Rejected("broken-line", "the gold query is no string")
    grades = {} if relevant is None else relevant_ids(row[relevant], relevant)
    return Need(query.id, query.text, pico, _above_zero(grades), gold or "")


def _judged(folder: Path, split: str) -> list[Need]:
    """The judged queries of a BEIR folder."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for qrel in read_qrels(folder, split or "train"):
        grades[qrel.query_id][qrel.doc_id] = qrel.relevance
    path = beir_file(folder, "queries.jsonl")
    if path is None:
        raise CorpusError("there is no queries.jsonl", path=folder, hint="name a BEIR folder")
    needs = (need for need, _ in _rows(path) if need.id in grades)
    judged = (
        Need(need.id, need.text, need.pico, _above_zero(grades[need.id]), need.gold)
        for need in needs
    )
    return [need for need in judged if need.relevant]


def _listed(path: Path, split: str) -> Iterator[Need]:
    """The needs of a JSONL file; a row that says itself that its SQL fails is none."""
    if not path.is_file():
        raise CorpusError(
            "there is no such file", path=path, hint="name a BEIR folder or a JSONL file of needs"
        )
    for need, row in _rows(path):
        of_split = not split or row.get(_first(row, SPLIT_FIELDS) or "") == split
        if of_split and row.get("status") != "error":
            yield need


def _rows(path: Path) -> Iterator[tuple[Need, Row]]:
    log = ProblemLog("refuse")
    ids = Ids(log)
    for line, row in read_objects(path, log):
        try:
            need = need_of(row)
        except Rejected as rejected:
            log.reject(path, line, rejected)
            continue
        if ids.claim(need.id, path, line):
            yield need, row


def _pico(value: JsonValue) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Rejected("broken-line", "pico is no object with any of P, I, C and O")
    parts: dict[str, str] = {}
    for key, part in value.items():
        name = key.strip().upper()
        if name not in PARTS or not isinstance(part, str | None):
            raise Rejected("broken-line", f"pico has {key[:20]!r}, not any of P, I, C, O as text")
        if part and part.strip():
            parts[name] = part.strip()
    return parts


def _first(row: Row, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if row.get(name) is not None), None)


def _above_zero(grades: Mapping[str, int]) -> dict[str, int]:
    return {doc_id: grade for doc_id, grade in grades.items() if grade > 0}
