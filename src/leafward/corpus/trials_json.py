"""Reading studies as ClinicalTrials.gov's API v2 writes them."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from leafward.corpus.ids import safe_id
from leafward.corpus.lines import read_objects
from leafward.corpus.problems import Ids, OnProblem, Problem, ProblemLog, Rejected, quoted
from leafward.errors import CorpusError
from leafward.types import Document, JsonValue, MetaValue

_SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz")


def read_trials(
    path: Path, *, on_problem: OnProblem = "skip", problems: list[Problem] | None = None
) -> Iterator[Document]:
    """Yield every study of a file or folder once, by its NCT number.

    A ``.json`` file holds a study, a list of studies, or a page of the API (``studies``); a
    ``.jsonl`` file a study a line; both may be gzipped. Title is the brief title, text the
    summary, description, eligibility and primary outcomes; ``conditions``, ``interventions``,
    ``keywords``, ``mesh`` and ``date`` (of the start) become metadata.

    Args:
        problems: what was left out is appended to it.

    Raises:
        CorpusError: nothing there, or with "refuse" the first problem.
    """
    log = ProblemLog(on_problem)
    ids = Ids(log)
    for file in _files(path):
        for line, study in _studies(file, log):
            try:
                document = study_document(study)
            except Rejected as rejected:
                log.reject(file, line, rejected)
                continue
            if ids.claim(document.id, file, line):
                yield document
    if problems is not None:
        problems.extend(log.problems)


def study_document(study: JsonValue) -> Document:
    """Make a document of one study object.

    Raises:
        Rejected: no NCT number, or nothing to retrieve.
    """
    identity = "protocolSection", "identificationModule"
    nct = safe_id(_text(study, *identity, "nctId"))
    if not nct:
        raise Rejected("broken-line", "no study: it has no nctId")
    title = _text(study, *identity, "briefTitle") or _text(study, *identity, "officialTitle")
    text = "\n".join(_parts(study))
    if not title and not text:
        raise Rejected("empty-text", f"study {quoted(nct)} has neither title nor text")
    return Document(nct, text, title, _metadata(study))


def _parts(study: JsonValue) -> Iterator[str]:
    """The texts of a study, in the order of its page."""
    official = _text(study, "protocolSection", "identificationModule", "officialTitle")
    summary = _text(study, "protocolSection", "descriptionModule", "briefSummary")
    description = _text(study, "protocolSection", "descriptionModule", "detailedDescription")
    criteria = _text(study, "protocolSection", "eligibilityModule", "eligibilityCriteria")
    outcomes = _items(study, "measure", "protocolSection", "outcomesModule", "primaryOutcomes")
    yield from filter(None, (official, summary, description, criteria, *outcomes))


def _metadata(study: JsonValue) -> dict[str, MetaValue]:
    protocol = "protocolSection"
    arms = protocol, "armsInterventionsModule", "interventions"
    status = protocol, "statusModule"
    derived = "derivedSection"
    fields: dict[str, MetaValue] = {
        "conditions": _items(study, None, protocol, "conditionsModule", "conditions"),
        "keywords": _items(study, None, protocol, "conditionsModule", "keywords"),
        "interventions": _items(study, "name", *arms),
        "mesh": _items(study, "term", derived, "conditionBrowseModule", "meshes")
        + _items(study, "term", derived, "interventionBrowseModule", "meshes"),
        "phases": _items(study, None, protocol, "designModule", "phases"),
        "study_type": _text(study, protocol, "designModule", "studyType"),
        "status": _text(study, *status, "overallStatus"),
        "date": _text(study, *status, "startDateStruct", "date")
        or _text(study, *status, "studyFirstPostDateStruct", "date"),
    }
    return {name: value for name, value in fields.items() if value}


def _at(value: JsonValue, *path: str) -> JsonValue:
    """What stands under nested keys; None where something is absent or of another shape."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _text(value: JsonValue, *path: str) -> str:
    found = _at(value, *path)
    return found.strip() if isinstance(found, str) else ""


def _items(value: JsonValue, name: str | None, *path: str) -> tuple[str, ...]:
    """Strings of a list, or of one field of the objects in it, each once."""
    found = _at(value, *path)
    listed = found if isinstance(found, list) else []
    texts = [_text(item, *([name] if name else [])) for item in listed]
    return tuple(dict.fromkeys(filter(None, texts)))


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = (
        [file for file in path.iterdir() if file.name.endswith(_SUFFIXES)]
        if (path.is_dir())
        else []
    )
    if not found:
        raise CorpusError(
            "there are no studies here",
            path=path,
            hint=f"name a file of studies or a folder of them ({', '.join(_SUFFIXES)})",
        )
    return sorted(found)


def _studies(path: Path, log: ProblemLog) -> Iterator[tuple[int | None, JsonValue]]:
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        yield from read_objects(path, log)
        return
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        content: JsonValue = json.loads(data)
    except (OSError, EOFError, zlib.error) as error:
        log.report(path, None, "unreadable", f"cannot be read: {error}")
    except (ValueError, RecursionError) as error:
        log.report(path, getattr(error, "lineno", None), "broken-line", f"not JSON: {error}")
    else:
        page = _at(content, "studies")
        listed = page if isinstance(page, list) else content
        yield from ((None, study) for study in (listed if isinstance(listed, list) else [listed]))
