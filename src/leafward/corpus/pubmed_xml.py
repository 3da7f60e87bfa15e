"""Reading PubMed's XML: baseline and update files, plain or gzipped, one article at a time."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from io import BufferedIOBase
from pathlib import Path
from xml.etree.ElementTree import Element

from leafward.corpus.problems import OnProblem, Problem, ProblemLog, Rejected
from leafward.corpus.pubmed_record import article_document
from leafward.corpus.xml_stream import BrokenXml, LocatedElement, elements
from leafward.errors import CorpusError
from leafward.types import Document

_ARTICLE, _DELETED = "PubmedArticle", "DeleteCitation"


def read_pubmed(
    source: Path | Sequence[Path],
    *,
    on_problem: OnProblem = "skip",
    problems: list[Problem] | None = None,
) -> Iterator[Document]:
    """Yield the current version of every article in PubMed's files, newest file first.

    Update files are numbered on from the baseline, so a later file name wins: its version of an
    article replaces earlier ones, and what it deletes is gone. Memory holds the articles of one
    file and the ids seen.

    Args:
        source: a file, a folder of ``.xml`` and ``.xml.gz`` files, or files.
        problems: what was left out is appended to it.

    Raises:
        CorpusError: nothing there, or with "refuse" the first problem.
    """
    log = ProblemLog(on_problem)
    seen: set[str] = set()
    for path in sorted(_files(source), key=lambda path: path.name, reverse=True):
        articles, deleted = _read_file(path, log)
        seen |= deleted
        for pmid, document in articles.items():
            if pmid not in seen:
                seen.add(pmid)
                yield document
    if problems is not None:
        problems.extend(log.problems)


def _files(source: Path | Sequence[Path]) -> list[Path]:
    if not isinstance(source, Path):
        return list(source)
    if source.is_file():
        return [source]
    found = [*source.glob("*.xml"), *source.glob("*.xml.gz")] if source.is_dir() else []
    if not found:
        raise CorpusError(
            "there is no PubMed XML here",
            path=source,
            hint="name an .xml or .xml.gz file of PubMed, or a folder of them",
        )
    return found


def _read_file(path: Path, log: ProblemLog) -> tuple[dict[str, Document], set[str]]:
    """The last version of each article in a file, and the ids that it deletes."""
    articles: dict[str, Document] = {}
    deleted: set[str] = set()
    for line, element in _elements(path, log):
        if element.tag == _DELETED:
            deleted.update("".join(pmid.itertext()).strip() for pmid in element.iter("PMID"))
            continue
        document = _document(path, line, element, log)
        if document is not None:
            articles.pop(document.id, None)
            articles[document.id] = document
    return articles, deleted


def _document(path: Path, line: int, element: Element, log: ProblemLog) -> Document | None:
    try:
        return article_document(element)
    except Rejected as rejected:
        log.reject(path, line, rejected)
        return None


def _elements(path: Path, log: ProblemLog) -> Iterator[LocatedElement]:
    """Elements up to the end of the file, or to where it breaks, which is a problem."""
    try:
        with _open(path) as stream:
            yield from elements(stream, (_ARTICLE, _DELETED))
    except BrokenXml as broken:
        log.reject(path, broken.line, broken)
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        log.report(path, None, "unreadable", f"the file breaks off: {reason}")


def _open(path: Path) -> BufferedIOBase:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")
