"""From what a user points at to documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from leafward.corpus import Corpus, read_corpus
from leafward.errors import CorpusError
from leafward.types import Document

Source = str | Path | Sequence[Document]
OnProblem = Literal["skip", "refuse"]


def read_source(source: Source, *, on_problem: OnProblem, chunk_tokens: int) -> Corpus:
    """Read a path, or take documents as they are.

    Raises:
        CorpusError: nothing can be read there, or a problem where problems are refused.
    """
    if isinstance(source, (str, Path)):
        return read_corpus(Path(source), on_problem=on_problem, chunk_tokens=chunk_tokens)
    if not source:
        raise CorpusError("there are no documents", hint="give at least one document")
    return Corpus(documents=tuple(source), problems=())
