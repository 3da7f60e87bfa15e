"""What must hold of every tree; `verify`, the builders' tests and hypothesis call the same list."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from leafward.types.tree import Node, Tree


def depth_limit(leaves: int, branching: int) -> int:
    """Greatest depth that a build may reach: ⌈log_M N⌉ + 3 (tree-search §2.2)."""
    if leaves <= 1:
        return 4
    return math.ceil(round(math.log(leaves, branching), 9)) + 3


def tree_problems(tree: Tree, *, branching: int | None = None) -> list[str]:
    """Every broken invariant as one sentence; empty where the tree is sound.

    Checks single parent, preorder ids, intervals that children tile without gap, every leaf once,
    and, with ``branching``, the child count and the depth limit.
    """
    problems = list(_global_problems(tree))
    for node in tree.nodes:
        problems.extend(_node_problems(tree, node))
    if branching is not None:
        problems.extend(_size_problems(tree, branching))
    return problems


def _global_problems(tree: Tree) -> Iterator[str]:
    if not tree.nodes:
        yield "the tree has no root"
        return
    if tree.root.parent is not None:
        yield "the root has a parent"
    if (tree.root.lo, tree.root.hi) != (0, len(tree.leaves)):
        yield f"the root covers {tree.root.lo}..{tree.root.hi}, not 0..{len(tree.leaves)}"
    for doc_id, count in Counter(tree.leaves).items():
        if count > 1:
            yield f"document {doc_id!r} is a leaf {count} times"
    held = Counter(child for node in tree.nodes for child in node.children)
    for node_id in range(1, len(tree.nodes) + len(tree.leaves)):
        if held[node_id] != 1:
            yield f"node {node_id} has {held[node_id]} parents"


def _node_problems(tree: Tree, node: Node) -> Iterator[str]:
    if not node.children:
        yield f"node {node.id} has no children"
    if not node.lo < node.hi:
        yield f"node {node.id} has the empty interval [{node.lo}, {node.hi})"
    edge = node.lo
    for child in node.children:
        if not 0 < child < len(tree.nodes) + len(tree.leaves):
            yield f"node {node.id} names the unknown child {child}"
            return
        yield from _link_problems(tree, node, child)
        lo, hi = tree.interval(child)
        if lo != edge:
            yield f"node {child} starts at leaf {lo}, not {edge}"
        edge = hi
    if edge != node.hi:
        yield f"the children of node {node.id} end at leaf {edge}, not {node.hi}"


def _link_problems(tree: Tree, node: Node, child: int) -> Iterator[str]:
    if tree.parent(child) != node.id:
        yield f"node {child} does not name {node.id} as its parent"
    if tree.is_leaf(child):
        return
    if child <= node.id:
        yield f"node {child} comes before its parent {node.id}"
    if tree.nodes[child].depth != node.depth + 1:
        yield f"node {child} has depth {tree.nodes[child].depth}, not {node.depth + 1}"


def _size_problems(tree: Tree, branching: int) -> Iterator[str]:
    for node in tree.nodes:
        if len(node.children) > branching:
            yield f"node {node.id} has {len(node.children)} children, more than {branching}"
    limit = depth_limit(len(tree.leaves), branching)
    if tree.leaf_parents and tree.depth > limit:
        yield f"the tree is {tree.depth} deep, more than {limit}"
