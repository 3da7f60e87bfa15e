"""Checking an index: the store's own checks, and those that need an engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leafward.engines import Bm25Engine
from leafward.errors import IndexNotFound, LeafwardError
from leafward.library.engines.derived import derived_folders, manifest_problems
from leafward.library.session import index_path
from leafward.store import Store, VerifyProblem, VerifyReport
from leafward.store import verify as verify_store


def verify(path: str | Path) -> VerifyReport:
    """Check everything of an index against everything else; repairs nothing.

    Raises:
        IndexNotFound: there is no index at ``path``.
    """
    where = index_path(path)
    report = verify_store(where)
    if not report.ok:
        return report
    problem = _lexical_problem(where)
    problems = (*([] if problem is None else [problem]), *_boolean_problems(where))
    return VerifyReport(False, problems) if problems else report


def _lexical_problem(path: Path) -> VerifyProblem | None:
    repair = f"`leafward index CORPUS {path} --force` rebuilds it from the stored answers"
    with Store.open(path) as store:
        try:
            snapshot = store.snapshot()
        except IndexNotFound:
            return None
        try:
            count = Bm25Engine.open(snapshot.folder / "lexical").count
        except LeafwardError as error:
            return VerifyProblem(f"the lexical index cannot be opened: {error}", repair)
        if count != len(snapshot.tree.leaves):
            return VerifyProblem(
                f"the lexical index holds {count} documents, not {len(snapshot.tree.leaves)}",
                repair,
            )
    return None


def _boolean_problems(path: Path) -> Iterator[VerifyProblem]:
    """What is wrong with the Boolean indexes that queries have left beside the generations."""
    for folder in derived_folders(path):
        for what in manifest_problems(folder):
            yield VerifyProblem(
                f"the Boolean index of generation {folder.name}: {what}",
                f"delete {folder}; the next query on boolean:{path} makes it again",
            )
