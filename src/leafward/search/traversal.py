"""The search itself, without I/O: hands out slates, takes judgements back in any order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leafward.search.references import best_sibling, sample_leaves, slate_rng
from leafward.search.scores import ScoreBook
from leafward.settings import SearchSettings
from leafward.types import Candidate, Judgement, Slate, Step, StopReason, Tree

MAX_TRIES = 2  # a node whose call failed for good stays on the frontier for one more
FOLLOW_UP_ANCHORS = 2


@dataclass(slots=True)
class _Batch:
    """Slates of one lock-step iteration, held until all of their judgements are in."""

    waiting: set[int] = field(default_factory=set)
    arrived: dict[int, tuple[Slate, Judgement | None]] = field(default_factory=dict)


class Traversal:
    """Best-first search over a tree (LATTICE v2 algorithm 4).

    Usage: call :meth:`next_slate` until it returns None, judge the slates, pass each judgement to
    :meth:`absorb` (or :meth:`fail`), repeat until :attr:`done`. There is no barrier: with
    ``schedule="free"`` each judgement updates the state and frees one of the ``beam`` places;
    ``schedule="lockstep"`` hands out the next slates when all of an iteration's are back, and
    absorbs them in the order in which they were handed out.

    ``live`` (bool ``[n]`` by leaf position) hides leaves, and every node without a live leaf.
    """

    def __init__(
        self,
        tree: Tree,
        query: str,
        settings: SearchSettings,
        *,
        live: npt.NDArray[np.bool_] | None = None,
        k: int = 10,
    ) -> None:
        self.tree = tree
        self.query = query
        self.settings = settings
        self.k = k
        self.book = ScoreBook(tree, settings)
        self.steps: list[Step] = []
        self.degraded = False
        self._live = None if live is None else tree.live_prefix(live)
        self._frontier: set[int] = {0} if self._is_live(0) else set()
        self._leaves: list[int] = []
        self._tries: dict[int, int] = {}
        self._in_flight: dict[int, Slate] = {}
        self._follow_ups: list[tuple[int, tuple[Candidate, ...]]] = []
        self._follow_up_ids: set[int] = set()
        self._batch = _Batch()
        self._issued = 0
        self._iterations = 0
        self._unchanged = 0
        self._top: tuple[int, ...] = ()

    @property
    def budget(self) -> int:
        """Slates in all, N·B; lock-step stops after N iterations, of which the first has one."""
        return self.settings.iterations * self.settings.beam

    @property
    def done(self) -> bool:
        return not self._in_flight and self.stop_reason is not None

    @property
    def stop_reason(self) -> StopReason | None:
        """Why no further slate will be handed out, or None while the search goes on."""
        if self._settled():
            return "settled"
        if self._spent():
            return "expansions"
        if not self._frontier and not self._follow_ups and not self._in_flight:
            return "exhausted"
        return None

    def next_slate(self) -> Slate | None:
        """The next slate to judge, or None when one of those in flight must come back first."""
        if self._spent() or self._settled() or len(self._in_flight) >= self.settings.beam:
            return None
        if self.settings.schedule == "lockstep" and self._batch.arrived:
            return None
        slate = self._draw()
        if slate is None:
            return None
        if self.settings.schedule == "lockstep" and not self._batch.waiting:
            self._iterations += 1
        self._issued += 1
        self._in_flight[slate.id] = slate
        self._batch.waiting.add(slate.id)
        return slate

    def absorb(self, slate_id: int, judgement: Judgement) -> None:
        """Take a judgement; scores of nodes that were not on the slate are ignored."""
        self._arrive(slate_id, judgement)

    def fail(self, slate_id: int) -> None:
        """Report that a slate's call failed for good; its node gets one more try."""
        self._arrive(slate_id, None)

    def withdraw(self, slate_id: int) -> None:
        """Take back a slate that will not be judged (no budget left): nothing is lost by it."""
        slate = self._in_flight.pop(slate_id)
        self._batch.waiting.discard(slate_id)
        if slate_id not in self._follow_up_ids:
            self._frontier.add(slate.expands)

    def flush(self) -> None:
        """Take in what lock-step still holds; for a search that ends in mid-iteration."""
        arrived, self._batch = self._batch.arrived, _Batch(self._batch.waiting)
        for _, (slate, answer) in sorted(arrived.items()):
            self.steps.append(Step(slate, answer))
            if answer is None or not any(c.node in answer.scores for c in slate.candidates):
                self._lose(slate)
            else:
                self._enter(slate, answer)
        if arrived:
            self.book.refit()
            self._watch_top(len(arrived))

    def leaves(self) -> list[int]:
        """Scored leaves, best path relevance first; ties by leaf position."""
        return sorted(self._leaves, key=lambda leaf: (-self.book.path_relevance(leaf), leaf))

    def frontier(self) -> list[int]:
        """Nodes that wait to be expanded, best path relevance first; ties by node id."""
        return sorted(self._frontier, key=lambda node: (-self.book.path_relevance(node), node))

    # --- handing out

    def _spent(self) -> bool:
        if self.settings.schedule == "lockstep":
            full = not self._batch.waiting and not self._in_flight
            return full and self._iterations >= self.settings.iterations
        return self._issued >= self.budget

    def _draw(self) -> Slate | None:
        if self._follow_ups:
            self._follow_up_ids.add(self._issued)
            return Slate(self._issued, *self._follow_ups.pop(0))
        if not self._frontier:
            return None
        node = max(self._frontier, key=lambda v: (self.book.path_relevance(v), -v))
        self._frontier.remove(node)
        return Slate(self._issued, node, self._candidates(node))

    def _candidates(self, node: int) -> tuple[Candidate, ...]:
        children = [child for child in self.tree.children(node) if self._is_live(child)]
        rng = slate_rng(self.settings.seed, self.query, node)
        inner = [child for child in children if not self.tree.is_leaf(child)]
        anchors = best_sibling(self.tree, self.book, node) if inner else []
        if len(inner) < len(children):
            anchors += sample_leaves(
                self.book,
                self._leaves,
                self.settings.references,
                temperature=self.settings.temperature,
                rng=rng,
            )
        shown = [Candidate(child) for child in children]
        shown += [Candidate(anchor, reference=True) for anchor in anchors]
        return tuple(shown[row] for row in rng.permutation(len(shown)))

    def _is_live(self, node: int) -> bool:
        if self._live is None:
            return True
        lo, hi = self.tree.interval(node)
        return bool(self._live[hi] > self._live[lo])

    # --- taking back

    def _arrive(self, slate_id: int, judgement: Judgement | None) -> None:
        slate = self._in_flight.pop(slate_id)
        self._batch.waiting.discard(slate_id)
        self._batch.arrived[slate_id] = (slate, judgement)
        if self.settings.schedule == "free" or not self._batch.waiting:
            self.flush()

    def _lose(self, slate: Slate) -> None:
        """A slate without a judgement: try its node once more, then go on without scores."""
        self.degraded = True
        tries = self._tries[slate.expands] = self._tries.get(slate.expands, 0) + 1
        if tries < MAX_TRIES and slate.id not in self._follow_up_ids:
            self._frontier.add(slate.expands)
        else:
            self._open(_children(slate), frozenset())

    def _enter(self, slate: Slate, judgement: Judgement) -> None:
        shown = [candidate.node for candidate in slate.candidates]
        scores = {node: judgement.scores[node] for node in shown if node in judgement.scores}
        self.book.enter(shown)
        self.book.observe(scores)
        missing = [child for child in _children(slate) if child not in scores]
        if missing and slate.id not in self._follow_up_ids:
            best = sorted(scores, key=lambda node: -scores[node])[:FOLLOW_UP_ANCHORS]
            again = [Candidate(child) for child in missing]
            again += [Candidate(anchor, reference=True) for anchor in best]
            self._follow_ups.append((slate.expands, tuple(again)))
            self._open(frozenset(_children(slate)) - frozenset(missing), frozenset(scores))
        else:
            self.degraded |= bool(missing)
            self._open(_children(slate), frozenset(scores))

    def _open(self, children: Collection[int], scored: frozenset[int]) -> None:
        """Put children where they belong: inner nodes on the frontier, scored leaves in the result.

        An inner node without a score is worth the prior mean; a leaf without one is no result.
        """
        self.book.enter(children)
        for child in sorted(children):
            if not self.tree.is_leaf(child):
                self._frontier.add(child)
            elif child in scored:
                self._leaves.append(child)

    # --- adaptive stop (tree-search §3.6)

    def _watch_top(self, expansions: int) -> None:
        if self.settings.patience is None:
            return
        top = tuple(self.leaves()[: self.k])
        self._unchanged = self._unchanged + expansions if top == self._top else 0
        self._top = top

    def _settled(self) -> bool:
        patience = self.settings.patience
        if patience is None or len(self._top) < self.k or self._unchanged < patience:
            return False
        bar = self.book.path_relevance(self._top[-1]) - self.settings.margin
        return all(self.book.path_relevance(node) < bar for node in self._frontier)


def _children(slate: Slate) -> list[int]:
    """The candidates that are being scored for the first time."""
    return [candidate.node for candidate in slate.candidates if not candidate.reference]
