"""Telling PubMed's XML and ClinicalTrials.gov's JSON from other files, by what stands in them."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from leafward.corpus.problems import Problem, ProblemLog
from leafward.corpus.pubmed_xml import read_pubmed
from leafward.corpus.trials_json import read_trials
from leafward.errors import CorpusError
from leafward.types import Document

Kind = Literal["pubmed", "trials"]

_HEAD = 1 << 16
"""Bytes of a file that are looked at; a study names its first section at its beginning."""

_SIGNS: tuple[tuple[tuple[str, ...], re.Pattern[bytes], Kind], ...] = (
    ((".xml", ".xml.gz"), re.compile(rb"<PubmedArticleSet[\s>]"), "pubmed"),
    ((".json", ".json.gz"), re.compile(rb'"protocolSection"\s*:\s*\{'), "trials"),
    # A row that merely speaks of studies begins otherwise.
    ((".jsonl", ".jsonl.gz"), re.compile(rb'\s*\{\s*"protocolSection"\s*:\s*\{'), "trials"),
)


def find_kind(path: Path) -> Kind | None:
    """What a file holds, or the first file of a folder that could hold it; None for neither.

    A file that cannot be unpacked is what its name says, so that its reader tells what is wrong.
    """
    for suffixes, sign, kind in _SIGNS:
        file = _first(path, suffixes)
        if file is not None and _shows(file, sign):
            return kind
    return None


def read_biomedical(path: Path, kind: Kind, log: ProblemLog) -> Iterator[Document]:
    """Yield articles (the current version of each) or studies of a file or folder.

    Raises:
        CorpusError: with "refuse" the first problem.
    """
    problems: list[Problem] = []
    read = read_pubmed if kind == "pubmed" else read_trials
    yield from read(path, on_problem=log.on_problem, problems=problems)
    log.extend(problems)


def foreign_xml(path: Path) -> CorpusError | None:
    """The error for an XML or JSON file of neither kind; None for any other file."""
    name = path.name.lower()
    if name.endswith((".xml", ".xml.gz")):
        return CorpusError(
            "this XML is not PubMed's (it has no PubmedArticleSet)",
            path=path,
            hint="name a baseline or update file of PubMed, or convert it to JSON lines",
        )
    if name.endswith((".json", ".json.gz")):
        return CorpusError(
            "this JSON holds no studies of ClinicalTrials.gov",
            path=path,
            hint="convert it to JSON lines, one document a line",
        )
    return None


def _first(path: Path, suffixes: tuple[str, ...]) -> Path | None:
    if path.is_file():
        return path if path.name.lower().endswith(suffixes) else None
    files = (each for each in path.iterdir() if not each.name.startswith("."))
    return min((each for each in files if each.name.endswith(suffixes)), default=None)


def _shows(path: Path, sign: re.Pattern[bytes]) -> bool:
    """Whether a file begins so, or cannot be unpacked."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream:
            head = stream.read(_HEAD)
    except (OSError, EOFError, zlib.error):
        return True
    whole_lines = path.name.lower().endswith((".jsonl", ".jsonl.gz"))
    return bool(sign.match(head) if whole_lines else sign.search(head))
