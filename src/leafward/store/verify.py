"""Everything of an index checked against everything else; nothing is repaired."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from leafward.errors import IndexNotFound, StoreError
from leafward.store.arrays import derived_problems
from leafward.store.calls import DATABASE
from leafward.store.codec import document_checksum, rows_checksum, tree_checksum
from leafward.store.database import Database, Row
from leafward.store.files import GENERATIONS, checksum
from leafward.store.publish import LEVELS
from leafward.store.rows import Rows, make_tree, numbering_problems, read_rows
from leafward.types import tree_problems

_LEAVES = (
    "SELECT l.position, d.doc_id, d.checksum, l.parent"
    " FROM leaves l LEFT JOIN documents d ON d.key = l.document"
    " WHERE l.generation = ? ORDER BY l.position"
)
_DOCUMENTS = (
    "SELECT d.key, d.doc_id, d.title, t.text, d.metadata, d.checksum FROM documents d"
    " LEFT JOIN texts t ON t.document = d.key WHERE d.key > ? ORDER BY d.key LIMIT ?"
)
_BATCH = 500
_SHOWN = 20
"""Problems of one kind that are listed; the rest is counted."""


@dataclass(frozen=True, slots=True)
class VerifyProblem:
    """What is wrong, and what the user can do about it."""

    what: str
    repair: str


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """``ok`` is true where there are no problems."""

    ok: bool
    problems: tuple[VerifyProblem, ...]


def verify(path: Path) -> VerifyReport:
    """Check an index: schema, database, trees, documents, summaries and derived files.

    Raises:
        IndexNotFound: there is no index at this path.
    """
    try:
        database = Database(path / DATABASE, mode="r")
    except IndexNotFound:
        raise
    except StoreError as error:
        return _report([VerifyProblem(error.message, error.hint)])
    try:
        return _report(_Verification(path, database).run())
    except StoreError as error:
        return _report([VerifyProblem(error.message, error.hint)])
    finally:
        database.close()


def _report(problems: Iterable[VerifyProblem]) -> VerifyReport:
    found = tuple(problems)
    return VerifyReport(not found, found)


class _Verification:
    """One pass over an index."""

    def __init__(self, path: Path, database: Database) -> None:
        self._path = path
        self._database = database
        self._rebuild = (
            f"`leafward index CORPUS {path} --force` rebuilds it from the stored answers"
        )
        self._restore = (
            f"restore {DATABASE} from a backup, or delete {path} and run `leafward index` again"
        )

    def run(self) -> Iterator[VerifyProblem]:
        yield from self._listed(self._database_problems(), self._restore)
        yield from self._listed(self._document_problems(), self._rebuild)
        generations = self._generations()
        if not generations:
            yield VerifyProblem("no finished build", self._rebuild)
        for row in generations:
            problems = list(self._generation(row))
            # A publication may have removed the previous generation meanwhile: then never mind.
            if row[0] in {left[0] for left in self._generations()}:
                yield from problems

    def _generations(self) -> list[Row]:
        return self._database.rows(
            "SELECT id, settings, tree_checksum, summaries_checksum, summarised FROM generations"
            " WHERE state = 'published' ORDER BY id DESC"
        )

    def _listed(self, problems: Iterable[str], repair: str) -> Iterator[VerifyProblem]:
        found = iter(problems)
        for what in islice(found, _SHOWN):
            yield VerifyProblem(what, repair)
        if more := sum(1 for _ in found):
            yield VerifyProblem(f"{more} more problems of this kind", repair)

    def _database_problems(self) -> Iterator[str]:
        for (text,) in self._database.rows("PRAGMA integrity_check"):
            if text != "ok":
                yield f"{DATABASE}: {text}"
        for table, row, parent, _ in self._database.rows("PRAGMA foreign_key_check"):
            place = "" if row is None else f" {row}"
            yield f"{DATABASE}: a row{place} of {table} refers to a missing row of {parent}"

    def _generation(self, row: Row) -> Iterator[VerifyProblem]:
        generation = row[0]
        rows = read_rows(self._database, generation)
        checks = (
            self._tree(row, rows),
            self._summaries(row),
            self._files(generation, len(rows.keys), len(rows.nodes)),
        )
        for problems in checks:
            named = (f"generation {generation}: {problem}" for problem in problems)
            yield from self._listed(named, self._rebuild)

    def _tree(self, row: Row, rows: Rows) -> Iterator[str]:
        if tree_checksum(rows.nodes, self._database.rows(_LEAVES, (row[0],))) != row[2]:
            yield "the tree or its documents are not those that were published (checksum)"
        broken = list(numbering_problems(rows))
        yield from broken
        if not broken:
            yield from tree_problems(make_tree(rows), branching=_branching(row[1]))

    def _document_problems(self) -> Iterator[str]:
        last = -1
        while rows := self._database.rows(_DOCUMENTS, (last, _BATCH)):
            for key, doc_id, title, text, metadata, stored in rows:
                last = key
                if text is None:
                    yield f"document {doc_id!r} has no text"
                elif document_checksum(doc_id, title, text, metadata) != stored:
                    yield f"document {doc_id!r} is not the one that was stored (checksum)"

    def _summaries(self, row: Row) -> Iterator[str]:
        rows = self._database.rows(
            "SELECT position, level, text, origin FROM summaries WHERE generation = ?"
            " ORDER BY position, level",
            (row[0],),
        )
        if rows_checksum(rows) != row[3]:
            yield "the summaries are not those that were published (checksum)"
        if len(rows) != LEVELS * row[4]:
            yield f"{len(rows)} summaries are stored, not {LEVELS} for {row[4]} documents"

    def _files(self, generation: int, leaves: int, nodes: int) -> Iterator[str]:
        folder = self._path / GENERATIONS / str(generation)
        for path, size, sha256 in self._database.rows(
            "SELECT path, bytes, sha256 FROM files WHERE generation = ? ORDER BY path",
            (generation,),
        ):
            yield from _file_problems(folder, path, size, sha256)
        yield from derived_problems(folder, leaves, nodes)


def _file_problems(folder: Path, name: str, size: int, sha256: str) -> Iterator[str]:
    path = folder / name
    try:  # and not asked beforehand: a publication may remove it at any moment
        found = path.stat().st_size
        if found != size:
            yield f"the file {name} has {found} bytes, not {size}"
        elif checksum(path) != sha256:
            yield f"the file {name} is not the one that was published (checksum)"
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        yield f"the file {name} is missing"


def _branching(settings: str) -> int | None:
    """``branching`` of a build's settings, at the top or under ``build``; None where unknown."""
    try:
        values = json.loads(settings)
    except ValueError:
        return None
    for place in (values, values.get("build")) if isinstance(values, dict) else ():
        if isinstance(place, dict) and isinstance(place.get("branching"), int):
            return int(place["branching"])
    return None
