"""One published generation as a reader sees it: tree at once, texts when asked for."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from leafward.errors import IndexDamaged, StoreError
from leafward.protocols import Vectors
from leafward.store.arrays import load
from leafward.store.codec import load_metadata
from leafward.store.database import Database, Row
from leafward.store.files import GENERATIONS, LEXICAL, NODE_VECTORS, VECTORS
from leafward.store.filters import Where, matching
from leafward.store.meta import BuildMeta
from leafward.store.rows import load_tree
from leafward.types import Document, MetaValue, Tree


class Snapshot:
    """A published generation; later publications do not change it.

    Texts stay readable until the generation after the next one is published (an index keeps its
    current and its previous generation); then reading them raises StoreError. Safe in threads.
    """

    def __init__(self, database: Database, root: Path, row: Row) -> None:
        self._database = database
        self.generation: int = row[0]
        self.fingerprint: str = row[1]
        self.settings: str = row[2]
        self.meta: BuildMeta = BuildMeta.load(row[3])
        self.created: str = row[4]
        self.folder: Path = root / GENERATIONS / str(self.generation)
        self.tree: Tree
        self.tree, self._keys = load_tree(database, self.generation)
        self._columns: dict[str, dict[int, MetaValue]] = {}

    def document(self, doc_id: str) -> Document:
        """The document with this id; KeyError where the tree does not hold it."""
        return self.documents([self.tree.position_of(doc_id)])[0]

    def documents(self, positions: Sequence[int]) -> list[Document]:
        """Documents at leaf positions, in that order."""
        rows = self._by_position(
            "SELECT l.position, d.doc_id, t.text, d.title, d.metadata FROM json_each(:positions) p"
            " CROSS JOIN leaves l ON l.generation = :generation AND l.position = p.value"
            " CROSS JOIN documents d ON d.key = l.document"
            " CROSS JOIN texts t ON t.document = d.key",
            positions,
        )
        return [Document(row[1], row[2], row[3], load_metadata(row[4])) for row in rows]

    def titles(self, positions: Sequence[int]) -> list[str]:
        """Titles at leaf positions, in that order; empty where a document has none."""
        rows = self._by_position(
            "SELECT l.position, d.title FROM json_each(:positions) p"
            " CROSS JOIN leaves l ON l.generation = :generation AND l.position = p.value"
            " CROSS JOIN documents d ON d.key = l.document",
            positions,
        )
        return [row[1] for row in rows]

    def summaries(self, positions: Sequence[int], level: int) -> list[str]:
        """Summaries at leaf positions, in that order; empty where a document has none.

        Args:
            level: 0 (1–2 words) to 4 (11–20 words).
        """
        rows = self._by_position(
            "SELECT l.position, coalesce(s.text, '') FROM json_each(:positions) p"
            " CROSS JOIN leaves l ON l.generation = :generation AND l.position = p.value"
            " LEFT JOIN summaries s ON s.generation = :generation AND s.position = l.position"
            " AND s.level = :level",
            positions,
            level=level,
        )
        return [row[1] for row in rows]

    def live(
        self, where: Where | None = None, excluded: Collection[str] = ()
    ) -> npt.NDArray[np.bool_]:
        """Mark the leaves that a search may show, bool ``[n]``.

        Args:
            where: conditions on metadata, all of which must hold (see :func:`filters.matching`).
            excluded: document ids never to show; unknown ids are ignored.

        Raises:
            SettingsError: a field is unknown, or compared with values of another kind.
        """
        live = matching(self, where or {}, len(self.tree.leaves))
        for doc_id in excluded:
            position = self._position(doc_id)
            if position is not None:
                live[position] = False
        return live

    def vectors(self) -> Vectors:
        """Embeddings of the leaves by position, a read-only memory map float32 ``[n, d]``."""
        return self._array(VECTORS)

    def node_vectors(self) -> Vectors:
        """Embeddings of the nodes by id, a read-only memory map float32 ``[nodes, d]``."""
        return self._array(NODE_VECTORS)

    @property
    def lexical(self) -> Path:
        """The folder of the lexical index."""
        folder = self.folder / LEXICAL
        if not folder.is_dir():
            raise self._missing(f"{LEXICAL}/ of generation {self.generation} is missing")
        return folder

    def column(self, field: str) -> Mapping[int, MetaValue]:
        """Values of a metadata field by leaf position, for the leaves that have it."""
        if field not in self._columns:
            values = ((position, load_metadata(text)) for position, text in self._metadata)
            self._columns[field] = {
                position: metadata[field] for position, metadata in values if field in metadata
            }
        return self._columns[field]

    def fields(self) -> set[str]:
        """Every metadata field that some document has."""
        return {field for _, text in self._metadata for field in json.loads(text)}

    @cached_property
    def _metadata(self) -> list[tuple[int, str]]:
        found: dict[int, str] = dict(self._database.rows("SELECT key, metadata FROM documents"))
        texts = [(position, found[key]) for position, key in enumerate(self._keys) if key in found]
        self._complete(texts, len(self._keys))
        return texts

    def _position(self, doc_id: str) -> int | None:
        try:
            return self.tree.position_of(doc_id)
        except KeyError:
            return None

    # The statements say CROSS JOIN because SQLite keeps that order: it would scan all leaves first.
    def _by_position(self, sql: str, positions: Sequence[int], **more: object) -> list[Row]:
        asked = [int(position) for position in positions]
        parameters = {"positions": json.dumps(asked), "generation": self.generation, **more}
        found = {row[0]: row for row in self._database.rows(sql, parameters)}
        self._complete(found, len(set(asked)))
        return [found[position] for position in asked]

    def _complete(self, found: Collection[object], wanted: int) -> None:
        if len(found) == wanted:
            return
        raise self._missing(
            f"generation {self.generation} has {wanted - len(found)} leaves without document"
        )

    def _missing(self, problem: str) -> StoreError:
        """The error for a part that is not there: newer builds took its place, or it was lost."""
        known = self._database.rows("SELECT 1 FROM generations WHERE id = ?", (self.generation,))
        if known:
            return IndexDamaged(problem, hint="run `leafward verify` on the index")
        return StoreError(
            f"generation {self.generation} was removed after newer builds were published",
            hint="open the index again",
        )

    def _array(self, name: str) -> Vectors:
        try:
            return load(self.folder / name)
        except FileNotFoundError:
            problem = "is missing"
        except IndexDamaged as error:
            problem = error.message
        raise self._missing(f"{name} of generation {self.generation} {problem}")
