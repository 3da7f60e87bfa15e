"""The semantic tree: leaves numbered depth first, so that every node is an interval of leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Branch:
    """An internal node under construction: children are branches or document ids."""

    name: str
    description: str
    children: tuple[Branch | str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """An internal node; covers the leaf positions ``[lo, hi)`` and sits ``depth`` below the root.

    ``children`` are node ids in order of their intervals; ids from ``len(tree.nodes)`` on are
    leaves (see :class:`Tree`).
    """

    id: int
    parent: int | None
    children: tuple[int, ...]
    lo: int
    hi: int
    depth: int
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Tree:
    """A finished, immutable tree (LATTICE v2 §2.1: T = (V, E, φ)).

    Internal nodes have ids ``0 .. len(nodes) - 1`` in depth-first preorder (0 is the root); the
    leaf at position ``p`` has id ``len(nodes) + p``. ``leaves[p]`` is its document id and
    ``leaf_parents[p]`` the id of the node that holds it.
    """

    nodes: tuple[Node, ...]
    leaves: tuple[str, ...]
    leaf_parents: tuple[int, ...]
    _positions: dict[str, int] | None = field(
        init=False, default=None, repr=False, compare=False, hash=False
    )

    @property
    def root(self) -> Node:
        return self.nodes[0]

    @property
    def depth(self) -> int:
        """Edges from the root to the deepest leaf."""
        return 1 + max(self.nodes[parent].depth for parent in self.leaf_parents)

    def is_leaf(self, node_id: int) -> bool:
        return node_id >= len(self.nodes)

    def leaf_id(self, position: int) -> int:
        return len(self.nodes) + position

    def position(self, leaf_id: int) -> int:
        return leaf_id - len(self.nodes)

    def position_of(self, doc_id: str) -> int:
        """Leaf position of a document; KeyError where the tree does not hold it."""
        if self._positions is None:  # made when first asked for: opening an index does not need it
            positions = {leaf: position for position, leaf in enumerate(self.leaves)}
            object.__setattr__(self, "_positions", positions)
            return positions[doc_id]
        return self._positions[doc_id]

    def doc_id(self, leaf_id: int) -> str:
        return self.leaves[self.position(leaf_id)]

    def parent(self, node_id: int) -> int | None:
        if self.is_leaf(node_id):
            return self.leaf_parents[self.position(node_id)]
        return self.nodes[node_id].parent

    def children(self, node_id: int) -> tuple[int, ...]:
        return () if self.is_leaf(node_id) else self.nodes[node_id].children

    def interval(self, node_id: int) -> tuple[int, int]:
        """Leaf positions ``[lo, hi)`` under a node or leaf."""
        if self.is_leaf(node_id):
            position = self.position(node_id)
            return position, position + 1
        node = self.nodes[node_id]
        return node.lo, node.hi

    def path(self, node_id: int) -> tuple[int, ...]:
        """Ids from the root down to the node, both included."""
        ids = [node_id]
        while (parent := self.parent(ids[-1])) is not None:
            ids.append(parent)
        return tuple(reversed(ids))

    def live_prefix(self, live: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Cumulative live-leaf counts, int64 ``[n + 1]``; a node has ``c[hi] - c[lo]`` live."""
        return np.concatenate(([0], np.cumsum(live, dtype=np.int64)))


def number(root: Branch) -> Tree:
    """Number a finished hierarchy depth first and freeze it; iterative, so depth costs no stack."""
    builder = _Numbering()
    builder.run(root)
    return builder.tree()


class _Numbering:
    """Preorder walk that hands out node ids and leaf positions."""

    def __init__(self) -> None:
        self.branches: list[Branch] = []
        self.parents: list[int | None] = []
        self.depths: list[int] = []
        self.los: list[int] = []
        self.his: list[int] = []
        self.kids: list[list[int]] = []  # leaves as -1 - position until all nodes are counted
        self.leaves: list[str] = []
        self.leaf_parents: list[int] = []

    def run(self, root: Branch) -> None:
        stack: list[tuple[int, Iterator[Branch | str]]] = [self._open(root, None, 0)]
        while stack:
            node_id, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                self.his[node_id] = len(self.leaves)
                stack.pop()
            elif isinstance(child, str):
                self.kids[node_id].append(-1 - len(self.leaves))
                self.leaves.append(child)
                self.leaf_parents.append(node_id)
            else:
                self.kids[node_id].append(len(self.branches))
                stack.append(self._open(child, node_id, self.depths[node_id] + 1))

    def _open(
        self, branch: Branch, parent: int | None, depth: int
    ) -> tuple[int, Iterator[Branch | str]]:
        self.branches.append(branch)
        self.parents.append(parent)
        self.depths.append(depth)
        self.los.append(len(self.leaves))
        self.his.append(-1)
        self.kids.append([])
        return len(self.branches) - 1, iter(branch.children)

    def tree(self) -> Tree:
        count = len(self.branches)
        nodes = tuple(
            Node(
                id=index,
                parent=self.parents[index],
                children=tuple(kid if kid >= 0 else count - 1 - kid for kid in self.kids[index]),
                lo=self.los[index],
                hi=self.his[index],
                depth=self.depths[index],
                name=branch.name,
                description=branch.description,
            )
            for index, branch in enumerate(self.branches)
        )
        return Tree(nodes, tuple(self.leaves), tuple(self.leaf_parents))
