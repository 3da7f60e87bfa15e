"""Reading whatever a path holds as a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leafward.corpus.beir import beir_file
from leafward.corpus.biomedical import find_kind, foreign_xml, read_biomedical
from leafward.corpus.folder import read_file, read_folder
from leafward.corpus.formats import READERS
from leafward.corpus.lines import read_objects
from leafward.corpus.problems import Corpus, Ids, OnProblem, ProblemLog, Rejected
from leafward.corpus.rows import document_of
from leafward.corpus.tables import read_rows
from leafward.errors import CorpusError, SettingsError
from leafward.types import Document

_ACCEPTED = (
    "a BEIR folder (corpus.jsonl), a .jsonl or .csv file (also .gz), PubMed's .xml(.gz),"
    " ClinicalTrials.gov's .json, or a folder of .txt, .md, .html and .pdf files"
)


def read_corpus(path: Path, *, on_problem: OnProblem = "skip", chunk_tokens: int = 300) -> Corpus:
    """Read a BEIR folder, a JSONL or CSV file (plain or ``.gz``), or a folder of text files.

    PubMed's XML and ClinicalTrials.gov's JSON, a file or a folder of either, are known by what
    stands in them (see :mod:`leafward.corpus.pubmed_xml`, :mod:`leafward.corpus.trials_json`).

    Text files are cut into passages of at most ``chunk_tokens`` estimated tokens, with ids
    ``relative/path.md#0`` and ``source``, ``section`` and ``position`` in their metadata. Rows of
    BEIR, JSONL and CSV are documents as they are: id from ``_id``, ``id`` or ``doc_id``, text from
    ``text``, ``contents`` or ``body``, ``title``, and every other field as metadata.

    Raises:
        CorpusError: nothing there, nothing readable in it, or, with ``on_problem="refuse"``, the
            first problem.
        SettingsError: ``chunk_tokens`` below 1.
    """
    if chunk_tokens < 1:
        raise SettingsError(
            f"chunk_tokens is {chunk_tokens}", hint="choose 1 or more; 300 is a good size"
        )
    log = ProblemLog(on_problem)
    documents = tuple(_documents(path, log, chunk_tokens))
    if not documents:
        raise CorpusError("there is nothing to read", path=path, hint=_empty_hint(log))
    return Corpus(documents, log.problems)


def _documents(path: Path, log: ProblemLog, chunk_tokens: int) -> Iterator[Document]:
    if not path.exists():
        raise CorpusError("there is no such file or folder", path=path, hint=_missing_hint(path))
    beir = beir_file(path, "corpus.jsonl") if path.is_dir() else None
    if beir is not None:
        return _rows(beir, log)
    kind = find_kind(path)
    if kind is not None:
        return read_biomedical(path, kind, log)
    if path.is_dir():
        return read_folder(path, log, chunk_tokens=chunk_tokens)
    if _row_format(path):
        return _rows(path, log)
    if path.suffix.lower() in READERS:
        return read_file(path, path.name, log, Ids(log), chunk_tokens)
    raise foreign_xml(path) or CorpusError(
        f"{path.suffix or 'a file without suffix'} cannot be read",
        path=path,
        hint=f"name {_ACCEPTED}",
    )


def _rows(path: Path, log: ProblemLog) -> Iterator[Document]:
    ids = Ids(log)
    rows = read_rows(path, log) if _row_format(path) == ".csv" else read_objects(path, log)
    for line, row in rows:
        try:
            document = document_of(row)
        except Rejected as rejected:
            log.reject(path, line, rejected)
            continue
        if ids.claim(document.id, path, line):
            yield document


def _row_format(path: Path) -> str | None:
    name = path.name.lower().removesuffix(".gz")
    return next((s for s in (".jsonl", ".ndjson", ".csv") if name.endswith(s)), None)


def _missing_hint(path: Path) -> str:
    return f"check the spelling of {path}; it may be {_ACCEPTED}"


def _empty_hint(log: ProblemLog) -> str:
    if not log.problems:
        return f"name {_ACCEPTED}"
    more = len(log.problems) - 1
    return f"first of {more + 1} problems: {log.problems[0]}" if more else str(log.problems[0])
