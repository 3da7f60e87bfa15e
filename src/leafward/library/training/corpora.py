"""An engine that is made of corpora for one run, and kept in its folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from leafward.corpus import read_corpus
from leafward.engines.bm25 import Bm25Engine
from leafward.engines.boolean import BooleanEngine
from leafward.errors import StoreError
from leafward.protocols import SearchEngine
from leafward.store.files import seal
from leafward.types import Document

KINDS: dict[str, type[BooleanEngine] | type[Bm25Engine]] = {
    "boolean": BooleanEngine,
    "bm25": Bm25Engine,
}
_NOTE = "corpora.json"


def engine_of(kind: str, corpora: Sequence[Path], folder: Path) -> SearchEngine:
    """The engine in ``folder``, made at its first use; one that a killed process left half is made
    anew.

    Raises:
        CorpusError: a corpus cannot be read.
        StoreError: the folder cannot be written to, or was made of other corpora.
    """
    note = folder.with_name(f"{folder.name}.{_NOTE}")
    asked = {"kind": kind, "corpora": [str(path) for path in corpora]}
    if not note.is_file():
        _make(kind, corpora, folder)
        note.write_text(json.dumps(asked), encoding="utf-8")
    elif json.loads(note.read_text(encoding="utf-8")) != asked:
        raise StoreError(
            f"the engine in {folder} was made of other corpora",
            hint=f"remove {note}, and it is made anew",
        )
    return KINDS[kind].open(folder)


def union(corpora: Sequence[Path]) -> Iterator[Document]:
    """The documents of all corpora; of two with one id the first."""
    seen: set[str] = set()
    for path in corpora:
        for document in read_corpus(path).documents:
            if document.id not in seen:
                seen.add(document.id)
                yield document


def _make(kind: str, corpora: Sequence[Path], folder: Path) -> None:
    try:
        shutil.rmtree(folder, ignore_errors=True)
        KINDS[kind].build(folder, union(corpora))
        seal(folder)
    except OSError as error:
        raise StoreError(
            f"the engine in {folder} cannot be made: {error}",
            hint="check the free space and your rights",
        ) from error
