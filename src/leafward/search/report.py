"""From a finished traversal to hits that say how they were found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leafward.search.traversal import Traversal
from leafward.types import PathStep, SearchHit, Step


def hits(
    traversal: Traversal, titles: Callable[[Sequence[int]], list[str]], k: int
) -> tuple[SearchHit, ...]:
    """The k best leaves by path relevance, with path, scores and the reasons along the path."""
    leaves = traversal.leaves()[:k]
    judged_in = first_steps(traversal)
    return tuple(
        _hit(traversal, leaf, title, judged_in)
        for leaf, title in zip(leaves, titles(leaves), strict=True)
    )


def first_steps(traversal: Traversal) -> dict[int, Step]:
    """The step that first scored each node as a child."""
    steps: dict[int, Step] = {}
    for step in traversal.steps:
        if step.judgement is None:
            continue
        for candidate in step.slate.candidates:
            if not candidate.reference and candidate.node in step.judgement.scores:
                steps.setdefault(candidate.node, step)
    return steps


def _hit(traversal: Traversal, leaf: int, title: str, judged_in: dict[int, Step]) -> SearchHit:
    tree, book = traversal.tree, traversal.book
    path = tree.path(leaf)
    return SearchHit(
        doc_id=tree.doc_id(leaf),
        title=title,
        score=book.path_relevance(leaf),
        path=tuple(_path_step(traversal, node) for node in path[:-1]),
        latent=book.theta(leaf),
        raw=book.raw(leaf),
        reasons=tuple(reason(judged_in.get(node), node) for node in path[1:]),
    )


def _path_step(traversal: Traversal, node: int) -> PathStep:
    book = traversal.book
    known = node in book
    return PathStep(
        node=node,
        name=traversal.tree.nodes[node].name,
        latent=book.theta(node) if known else None,
        relevance=book.path_relevance(node) if known or node == 0 else None,
    )


def reason(step: Step | None, node: int) -> str:
    """What the judge said of this node, else of its slate, else nothing."""
    if step is None or step.judgement is None:
        return ""
    own = (step.judgement.reasons or {}).get(node, "")
    return own or step.judgement.reasoning
