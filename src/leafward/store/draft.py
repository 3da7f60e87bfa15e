"""A generation in the making: its documents are stored, nobody sees it yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leafward.errors import CorpusError
from leafward.store.codec import document_checksum, dump_metadata, now
from leafward.store.database import Database
from leafward.store.files import GENERATIONS, remove_except
from leafward.types import Document


@dataclass(frozen=True, slots=True)
class Draft:
    """A generation that is being built.

    Before :meth:`Store.publish`, ``folder`` must hold ``vectors.npy`` (float32 ``[n, d]``, unit
    rows, by leaf position), ``node_vectors.npy`` (float32 ``[nodes, d]``, unit rows, by node id)
    and the folder ``lexical``. ``keys`` maps document ids to their rows, ``checksums`` to the
    checksums of their contents.
    """

    generation: int
    folder: Path
    keys: Mapping[str, int]
    checksums: Mapping[str, str]


def begin(
    database: Database, root: Path, documents: Sequence[Document], fingerprint: str, settings: str
) -> Draft:
    """Store documents and open a generation for them; drafts that were left behind go.

    Raises:
        CorpusError: two documents share an id, or one cannot be stored.
    """
    keys: dict[str, int] = {}
    checksums: dict[str, str] = {}
    with database.transaction():
        database.write("DELETE FROM generations WHERE state = 'draft'")
        for document in documents:
            if document.id in keys:
                raise CorpusError(
                    f"document id {document.id!r} occurs twice",
                    hint="give each document an id of its own, or skip duplicates when reading",
                )
            keys[document.id], checksums[document.id] = _store_document(database, document)
        cursor = database.write(
            "INSERT INTO generations (fingerprint, settings, meta, state, created)"
            " VALUES (?, ?, '{}', 'draft', ?)",
            (fingerprint, settings, now()),
        )
        generation = int(cursor.lastrowid or 0)
    remove_orphans(database, root)
    folder = root / GENERATIONS / str(generation)
    folder.mkdir(parents=True)
    return Draft(generation, folder, keys, checksums)


def remove_orphans(database: Database, root: Path) -> None:
    """Remove folders whose generation is gone, as a killed process may leave them."""
    remove_except(root, {row[0] for row in database.rows("SELECT id FROM generations")})


def _store_document(database: Database, document: Document) -> tuple[int, str]:
    metadata = dump_metadata(document)
    checksum = document_checksum(document.id, document.title, document.text, metadata)
    known = database.rows(
        "SELECT key FROM documents WHERE doc_id = ? AND checksum = ?", (document.id, checksum)
    )
    if known:
        return int(known[0][0]), checksum
    cursor = database.write(
        "INSERT INTO documents (doc_id, checksum, title, metadata) VALUES (?, ?, ?, ?)",
        (document.id, checksum, document.title, metadata),
    )
    key = int(cursor.lastrowid or 0)
    database.write("INSERT INTO texts (document, text) VALUES (?, ?)", (key, document.text))
    return key, checksum
