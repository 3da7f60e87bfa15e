"""Where a document was lost: its path from the root, as one search saw it (diagnosis)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from leafward.search.fates import Fate, GoldPath, GoldStep, Rival
from leafward.search.replaying import Replay
from leafward.search.report import first_steps, reason
from leafward.types import Step

SHOWN = 10


def gold_paths(
    replay: Replay, doc_ids: Sequence[str], *, k: int | None = None
) -> tuple[GoldPath, ...]:
    """What became of documents in a search that was replayed to its end.

    ``k`` is how many of the best count as found, unless given as many as the search was to find.

    Raises:
        KeyError: the tree holds no such document.
    """
    diagnosis = _Diagnosis(replay, k or replay.traversal.k)
    return tuple(diagnosis.path(doc_id) for doc_id in doc_ids)


class _Diagnosis:
    """What is looked up for every path of one search."""

    def __init__(self, replay: Replay, k: int) -> None:
        self.replay = replay
        self.k = k
        self.traversal = replay.traversal
        self.tree = self.traversal.tree
        self.leaves = self.traversal.leaves()
        self.ranks = {leaf: rank for rank, leaf in enumerate(self.leaves, start=1)}
        self.numbers = {step.slate.id: n for n, step in enumerate(self.traversal.steps)}
        self.judged_in = first_steps(self.traversal)
        self.drawn = {d.slate.expands: n for n, d in reversed(list(enumerate(replay.draws)))}
        self.opened = {*self.drawn, *self.traversal.frontier(), *self.leaves}
        self.answered = {step.slate.expands for step in self.traversal.steps if step.judgement}

    def path(self, doc_id: str) -> GoldPath:
        leaf = self.tree.leaf_id(self.tree.position_of(doc_id))
        path = self.tree.path(leaf)
        steps = tuple(self._step(node, depth) for depth, node in enumerate(path[1:], start=1))
        rank = self.ranks.get(leaf)
        if not self.replay.shows(leaf):
            return GoldPath(doc_id, "hidden", None, steps)
        fate, lost_at = self._fate(path)
        if fate == "found":
            return GoldPath(doc_id, fate, rank, steps)
        rivals = self._rivals(fate, lost_at)
        depth = path.index(lost_at)
        return GoldPath(
            doc_id, fate, rank, steps, lost_at, depth, tuple(rivals[:SHOWN]), len(rivals)
        )

    def _fate(self, path: tuple[int, ...]) -> tuple[Fate, int]:
        """What became of the leaf, and the node where that was decided."""
        for parent, node in pairwise(path):
            if parent not in self.drawn:
                return ("passed over" if self.drawn else "unfinished"), parent
            if node in self.opened:
                continue
            if parent in self.replay.unanswered:
                return "unfinished", parent
            return ("unscored" if parent in self.answered else "failed"), node
        return ("found" if self.ranks[path[-1]] <= self.k else "outranked"), path[-1]

    def _rivals(self, fate: Fate, node: int) -> list[Rival]:
        if fate == "passed over":
            return [
                Rival(draw.slate.expands, draw.frontier[draw.slate.expands], draw.frontier[node])
                for draw in self.replay.draws
                if node in draw.frontier
            ]
        if fate == "outranked":
            own = self.traversal.book.path_relevance(node)
            before = self.leaves[: self.ranks[node] - 1]
            return [Rival(leaf, self.traversal.book.path_relevance(leaf), own) for leaf in before]
        return []

    def _step(self, node: int, depth: int) -> GoldStep:
        book, step = self.traversal.book, self.judged_in.get(node)
        known = node in book
        place = _Place.on(step, node)
        rank, among = self._rank(node)
        return GoldStep(
            node=node,
            depth=depth,
            judgement=None if step is None else self.numbers[step.slate.id],
            score=place.score,
            place=place.place,
            of=place.of,
            better=place.better,
            raw=book.raw(node) if known else (),
            latent=book.theta(node) if known else None,
            relevance=book.path_relevance(node) if known else None,
            rank=rank,
            among=among,
            expanded=self.drawn.get(node),
            reason=reason(step, node),
        )

    def _rank(self, node: int) -> tuple[int | None, int | None]:
        """Place by path relevance: of a leaf at the end, of a node on the frontier it came upon."""
        if self.tree.is_leaf(node):
            rank = self.ranks.get(node)
            return rank, None if rank is None else len(self.leaves)
        for frontier in self.replay.frontiers:
            if node in frontier:
                return list(frontier).index(node) + 1, len(frontier)
        return None, None


@dataclass(frozen=True, slots=True)
class _Place:
    """A child's place by raw score on the slate that first scored it; empty where none did."""

    score: float | None = None
    place: int | None = None
    of: int | None = None
    better: tuple[Rival, ...] = ()

    @classmethod
    def on(cls, step: Step | None, node: int) -> _Place:
        if step is None or step.judgement is None:
            return cls()
        scores = step.judgement.scores
        children = [c.node for c in step.slate.candidates if not c.reference and c.node in scores]
        own = scores[node]
        above = sorted((-scores[child], child) for child in children if scores[child] > own)
        better = tuple(Rival(child, -value, own) for value, child in above[:SHOWN])
        return cls(own, len(above) + 1, len(children), better)
