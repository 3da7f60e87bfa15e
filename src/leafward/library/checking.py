"""Checking an index: the store's own checks, and those that need an engine."""

from __future__ import annotations

from pathlib import Path

from leafward.engines import Bm25Engine
from leafward.errors import IndexNotFound, LeafwardError
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
    return report if problem is None else VerifyReport(False, (problem,))


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
