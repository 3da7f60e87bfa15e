"""A part of a tree as it is shown: names, sizes, titles, down to a chosen depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from leafward.errors import SettingsError
from leafward.types import Tree


class Titled(Protocol):
    """Where titles come from; :class:`leafward.store.Snapshot` is one."""

    @property
    def tree(self) -> Tree: ...

    def titles(self, positions: Sequence[int]) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Outline:
    """A node with what is shown of its children; ``hidden`` counts children that are not."""

    kind: Literal["node", "leaf"]
    node: int
    name: str
    description: str
    leaves: int
    doc_id: str | None
    hidden: int
    children: tuple[Outline, ...]


def outline(source: Titled, root: int = 0, depth: int | None = None) -> Outline:
    """What lies up to ``depth`` edges below a node; None is all of it.

    Raises:
        SettingsError: the tree has no such node.
    """
    tree = source.tree
    if not 0 <= root < len(tree.nodes):
        raise SettingsError(
            f"there is no node {root}", hint=f"nodes of this tree: 0 to {len(tree.nodes) - 1}"
        )
    shown = list(_shown_leaves(tree, root, depth))
    titles = dict(zip(shown, source.titles([tree.position(leaf) for leaf in shown]), strict=True))
    return _node(tree, root, depth, titles)


def _shown_leaves(tree: Tree, root: int, depth: int | None) -> Sequence[int]:
    """Leaves that the outline names, in order; read at once, not one by one."""
    found: list[int] = []
    stack = [(root, depth)]
    while stack:
        node, left = stack.pop()
        if tree.is_leaf(node):
            found.append(node)
        elif left is None or left > 0:
            below = None if left is None else left - 1
            stack.extend((child, below) for child in reversed(tree.children(node)))
    return found


def _node(tree: Tree, node_id: int, depth: int | None, titles: Mapping[int, str]) -> Outline:
    """Recursive: trees are ⌈log_M N⌉ + 3 deep at most."""
    if tree.is_leaf(node_id):
        doc_id = tree.doc_id(node_id)
        return Outline("leaf", node_id, titles[node_id] or doc_id, "", 1, doc_id, 0, ())
    node = tree.nodes[node_id]
    open_ = depth is None or depth > 0
    below = None if depth is None else depth - 1
    children = tuple(_node(tree, each, below, titles) for each in node.children if open_)
    return Outline(
        kind="node",
        node=node_id,
        name=node.name,
        description=node.description,
        leaves=node.hi - node.lo,
        doc_id=None,
        hidden=len(node.children) - len(children),
        children=children,
    )
