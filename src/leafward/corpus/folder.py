"""A folder of text, Markdown, HTML and PDF files as passages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from leafward.corpus.chunking import split_text
from leafward.corpus.formats import READERS, UndecodableAt
from leafward.corpus.ids import safe_id
from leafward.corpus.problems import Ids, ProblemLog, Rejected
from leafward.corpus.sections import Parsed, one_line, passages
from leafward.corpus.walking import walk
from leafward.errors import MissingExtra
from leafward.types import Document

_TABLES = frozenset({".csv", ".jsonl", ".ndjson", ".gz"})
_FOREIGN = frozenset(
    {".doc", ".docx", ".epub", ".odp", ".ods", ".odt", ".ppt", ".pptx", ".rtf", ".xls", ".xlsx"}
)


def read_folder(folder: Path, log: ProblemLog, *, chunk_tokens: int) -> Iterator[Document]:
    """Yield the passages of every readable file under a folder.

    Documents of other formats are reported as unsupported; pictures, code and the like are not
    part of a corpus and passed over.
    """
    ids = Ids(log)
    for path in walk(folder, log):
        yield from read_file(path, path.relative_to(folder).as_posix(), log, ids, chunk_tokens)


def read_file(
    path: Path, name: str, log: ProblemLog, ids: Ids, chunk_tokens: int
) -> Iterator[Document]:
    """Yield the passages of one file, whose id is ``name``; what cannot be read is reported."""
    source = safe_id(name)
    parsed = _parsed(path, log)
    if parsed is None:
        return
    if not any(section.text.strip() for section in parsed.sections):
        log.report(path, None, "empty-text", "the file has no text")
    elif ids.claim(source, path, None):
        cut = partial(split_text, limit=chunk_tokens)
        yield from passages(parsed, source, one_line(safe_id(path.stem)), cut)


def _parsed(path: Path, log: ProblemLog) -> Parsed | None:
    suffix = path.suffix.lower()
    if suffix not in READERS:
        _report_foreign(path, suffix, log)
        return None
    try:
        return READERS[suffix](
            path.read_bytes(), lambda message: log.report(path, None, "unreadable", message)
        )
    except UndecodableAt as error:
        log.report(path, error.line, error.kind, error.message)
    except Rejected as rejected:
        log.reject(path, None, rejected)
    except MissingExtra as error:
        message = f"{error.package} is not installed ({error.hint})"
        log.report(path, None, "unsupported", message, hint=error.hint)
    except OSError as error:
        log.report(path, None, "unreadable", error.strerror or str(error))
    return None


def _report_foreign(path: Path, suffix: str, log: ProblemLog) -> None:
    if suffix in _TABLES:
        message = "rows are not read from within a folder of texts"
        log.report(path, None, "unsupported", message, hint="read this file by its own path")
    elif suffix in _FOREIGN:
        log.report(path, None, "unsupported", f"{suffix} files cannot be read")
