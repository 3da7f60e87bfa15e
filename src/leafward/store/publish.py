"""A finished draft becomes the current generation in one transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from leafward.errors import StoreError
from leafward.store.arrays import derived_problems
from leafward.store.codec import clean, now, rows_checksum, tree_checksum
from leafward.store.database import Database, Row
from leafward.store.draft import Draft, remove_orphans
from leafward.store.files import FileRecord, seal
from leafward.store.meta import BuildMeta
from leafward.store.rows import tree_rows
from leafward.types import Tree, tree_problems

LEVELS = 5
KEPT_GENERATIONS = 2
"""The current generation and the one before it, which readers may still have open."""


def publish(
    database: Database,
    root: Path,
    draft: Draft,
    tree: Tree,
    summaries: Mapping[str, tuple[str, ...]],
    extractive: Collection[str],
    meta: BuildMeta,
) -> None:
    """Make a draft visible, all of it or nothing.

    First the derived files are forced to the disk, then one transaction flips the state, inserts
    tree, summaries and checksums, and drops generations and documents that nobody needs any more.

    Raises:
        StoreError: tree, summaries, files and documents of the draft do not fit together.
    """
    _check(draft, tree, summaries)
    records = seal(draft.folder)
    rows = list(_summary_rows(tree, summaries, frozenset(extractive)))
    with database.transaction():
        _flip(database, draft, tree, rows, meta)
        _insert_tree(database, draft, tree)
        _insert_summaries(database, draft.generation, rows)
        _insert_files(database, draft.generation, records)
        _prune(database)
    remove_orphans(database, root)


def leaf_rows(draft: Draft, tree: Tree) -> Iterator[Row]:
    """``(position, doc_id, checksum, parent)`` of every leaf, as the tree's checksum reads them."""
    for position, doc_id in enumerate(tree.leaves):
        yield position, doc_id, draft.checksums[doc_id], tree.leaf_parents[position]


def _check(draft: Draft, tree: Tree, summaries: Mapping[str, tuple[str, ...]]) -> None:
    problems = list(tree_problems(tree))
    if missing := len(draft.keys.keys() - set(tree.leaves)):
        problems.append(f"{missing} documents of the draft are no leaves")
    if unknown := set(tree.leaves) - draft.keys.keys():
        problems.append(f"{len(unknown)} leaves are no documents of the draft")
    if unknown := summaries.keys() - draft.keys.keys():
        problems.append(f"{len(unknown)} summaries are of documents outside the draft")
    problems += [
        f"document {doc_id!r} has {len(texts)} summaries, not {LEVELS}"
        for doc_id, texts in summaries.items()
        if len(texts) != LEVELS
    ]
    problems += derived_problems(draft.folder, len(tree.leaves), len(tree.nodes))
    if problems:
        more = f" (and {len(problems) - 1} problems more)" if len(problems) > 1 else ""
        raise StoreError(
            f"this build cannot be published: {problems[0]}{more}",
            hint="nothing was changed; run the build again, and report this if it comes back",
        )


def _summary_rows(
    tree: Tree, summaries: Mapping[str, tuple[str, ...]], extractive: frozenset[str]
) -> Iterator[Row]:
    for position, doc_id in enumerate(tree.leaves):
        origin = "extractive" if doc_id in extractive else "model"
        for level, text in enumerate(summaries.get(doc_id, ())):
            yield position, level, clean(text), origin


def _insert_tree(database: Database, draft: Draft, tree: Tree) -> None:
    generation = draft.generation
    database.write_many(
        "INSERT INTO nodes (generation, node, parent, lo, hi, depth, name, description)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((generation, *row) for row in tree_rows(tree)),
    )
    database.write_many(
        "INSERT INTO leaves (generation, position, document, parent) VALUES (?, ?, ?, ?)",
        (
            (generation, position, draft.keys[doc_id], parent)
            for position, doc_id, _, parent in leaf_rows(draft, tree)
        ),
    )


def _insert_summaries(database: Database, generation: int, rows: list[Row]) -> None:
    database.write_many(
        "INSERT INTO summaries (generation, position, level, text, origin) VALUES (?, ?, ?, ?, ?)",
        ((generation, *row) for row in rows),
    )


def _insert_files(database: Database, generation: int, records: list[FileRecord]) -> None:
    database.write_many(
        "INSERT INTO files (generation, path, bytes, sha256) VALUES (?, ?, ?, ?)",
        ((generation, record.path, record.bytes, record.sha256) for record in records),
    )


def _flip(
    database: Database, draft: Draft, tree: Tree, summaries: list[Row], meta: BuildMeta
) -> None:
    cursor = database.write(
        "UPDATE generations SET state = 'published', meta = ?, tree_checksum = ?,"
        " summaries_checksum = ?, summarised = ?, created = ?"
        " WHERE id = ? AND state = 'draft'",
        (
            meta.dump(),
            tree_checksum(tree_rows(tree), leaf_rows(draft, tree)),
            rows_checksum(summaries),
            len(summaries) // LEVELS,
            now(),
            draft.generation,
        ),
    )
    if cursor.rowcount != 1:
        raise StoreError(
            f"generation {draft.generation} is no draft of this index any more",
            hint="begin a new draft; a later begin removed this one",
        )


def _prune(database: Database) -> None:
    database.write(
        "DELETE FROM generations WHERE state = 'published' AND id NOT IN"
        " (SELECT id FROM generations WHERE state = 'published' ORDER BY id DESC LIMIT ?)",
        (KEPT_GENERATIONS,),
    )
    database.write(
        "DELETE FROM documents WHERE NOT EXISTS"
        " (SELECT 1 FROM leaves WHERE leaves.document = documents.key)"
    )
