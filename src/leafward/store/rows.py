"""Rows of a generation to a tree and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from leafward.errors import IndexDamaged
from leafward.store.codec import clean
from leafward.store.database import Database, Row
from leafward.types import Node, Tree

NODES = (
    "SELECT node, parent, lo, hi, depth, name, description FROM nodes"
    " WHERE generation = ? ORDER BY node"
)

# Arrays in one row are read twice as fast as a row for each of 100,000 leaves.
_LEAVES = (
    "SELECT json_group_array(document), json_group_array(parent), max(position) FROM"
    " (SELECT document, parent, position FROM leaves WHERE generation = ? ORDER BY position)"
)
_DOCUMENTS = "SELECT json_group_array(key), json_group_array(doc_id) FROM documents"


@dataclass(frozen=True, slots=True)
class Rows:
    """The stored rows of a tree; leaves by position, ``doc_ids`` None where a document is gone."""

    nodes: list[Row]
    keys: list[int]
    doc_ids: list[str | None]
    parents: list[int]
    last: int


def read_rows(database: Database, generation: int) -> Rows:
    """Read the rows of a generation in one consistent look."""
    with database.reading():
        nodes = database.rows(NODES, (generation,))
        keys, parents, last = database.rows(_LEAVES, (generation,))[0]
        known, names = database.rows(_DOCUMENTS)[0]
    ids: dict[int, str] = dict(zip(json.loads(known), json.loads(names), strict=True))
    leaves: list[int] = json.loads(keys)
    doc_ids = [ids.get(key) for key in leaves]
    return Rows(nodes, leaves, doc_ids, json.loads(parents), -1 if last is None else last)


def load_tree(database: Database, generation: int) -> tuple[Tree, list[int]]:
    """The tree of a generation, and the document keys of its leaves by position.

    Raises:
        IndexDamaged: rows are missing, or name parents that do not exist.
    """
    rows = read_rows(database, generation)
    problem = next(numbering_problems(rows), None)
    if problem is not None:
        raise IndexDamaged(
            f"generation {generation}: {problem}", hint="run `leafward verify` on the index"
        )
    return make_tree(rows), rows.keys


def numbering_problems(rows: Rows) -> Iterator[str]:
    """What keeps these rows from being a tree at all."""
    if not rows.nodes:
        yield "the tree has no root"
        return
    if rows.nodes[0][3] != len(rows.keys) or rows.last != len(rows.keys) - 1:
        held = f"{len(rows.keys)} are stored, the last at {rows.last}"
        yield f"leaves are missing: the root ends at {rows.nodes[0][3]}, but {held}"
    known = range(len(rows.nodes))
    for index, row in enumerate(rows.nodes):
        if row[0] != index:
            yield f"node {index} is missing"
            return
        if index > 0 and row[1] not in known:
            yield f"node {index} names the unknown parent {row[1]}"
    if unknown := set(rows.parents) - set(known):
        yield f"leaves name the unknown parents {sorted(unknown)}"
    if gone := sum(1 for doc_id in rows.doc_ids if doc_id is None):
        yield f"{gone} leaves have no document"


def make_tree(rows: Rows) -> Tree:
    """The tree of rows that are numbered without gap; children are those who name the parent."""
    count = len(rows.nodes)
    children: list[list[int]] = [[] for _ in rows.nodes]
    for row in rows.nodes[1:]:
        children[row[1]].append(row[0])
    for leaf, parent in enumerate(rows.parents, start=count):
        children[parent].append(leaf)
    starts = [row[2] for row in rows.nodes]
    starts.extend(range(len(rows.parents)))
    return Tree(
        nodes=tuple(
            Node(row[0], row[1], tuple(sorted(kids, key=starts.__getitem__)), *row[2:])
            for row, kids in zip(rows.nodes, children, strict=True)
        ),
        leaves=tuple(doc_id for doc_id in rows.doc_ids if doc_id is not None),
        leaf_parents=tuple(rows.parents),
    )


def tree_rows(tree: Tree) -> list[Row]:
    """``(node, parent, lo, hi, depth, name, description)`` of every node, in order of ids."""
    return [
        (
            *(node.id, node.parent, node.lo, node.hi, node.depth),
            *(clean(node.name), clean(node.description)),
        )
        for node in tree.nodes
    ]
