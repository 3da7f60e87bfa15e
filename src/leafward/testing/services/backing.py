"""What a stand-in searches: documents in a Boolean index of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from leafward.engines.boolean import BooleanEngine, Order
from leafward.errors import QuerySyntaxError
from leafward.types import Document

EVERYTHING = 1_000_000_000  # hits: more than any stand-in holds


class Backing:
    """Documents with an index over them, made at the first search in a temporary folder."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = {document.id: document for document in documents}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def find(self, expression: str, *, order: Order = "date") -> list[str]:
        """Every id that an expression finds, in order.

        Raises:
            QuerySyntaxError: the local engine does not read the expression.
        """
        ranking = self._engine.find(expression, k=EVERYTHING, order=order)
        return [hit.doc_id for hit in ranking.hits]

    def close(self) -> None:
        """Remove the index; the next search makes it again."""
        self.__dict__.pop("_engine", None)
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @cached_property
    def _engine(self) -> BooleanEngine:
        self._folder = tempfile.TemporaryDirectory(prefix="leafward-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name) / "index"
        BooleanEngine.build(folder, self.documents.values())
        return BooleanEngine.open(folder)


def tag_of(error: QuerySyntaxError, expression: str) -> str | None:
    """The field tag that an error speaks of; None where it speaks of something else."""
    if error.column is None:
        return None
    rest = expression[error.column - 1 :]
    end = rest.find("]")
    return rest[1:end] if rest.startswith("[") and end > 0 else None
