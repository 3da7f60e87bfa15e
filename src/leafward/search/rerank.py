"""Sliding-window reranking without I/O: hands out windows, takes judgements back.

The baseline that LATTICE is measured against (v2 §3.2, "SW-rerank"): the same judge and prompt over
the best hits of a cheap retriever, in windows of 20 of which the best 10 move on into the next. The
paper calls this standard practice, which is RankGPT's (Sun et al., EMNLP 2023): windows run from
the bottom of the shortlist to its top, candidates are shown in their present order, and each
judgement only orders its own window. Scores of different windows are never compared, so there is
nothing to calibrate.

One difference to RankGPT's code: there a shortlist whose length does not fit the step ends before
the top, whose first documents nobody reads. Here the last window always starts at the top.
"""

from __future__ import annotations

from collections.abc import Sequence

from leafward.types import Candidate, Judgement, Slate

MAX_TRIES = 2  # as in tree search: a window whose call failed for good gets one more


def reach(calls: int, *, window: int, carry: int) -> int:
    """Documents that so many windows can rerank: ``window + (calls - 1) · (window - carry)``."""
    return window + (calls - 1) * (window - carry)


class SlidingWindows:
    """One shortlist being reranked.

    Usage: :meth:`next_slate` until it returns None; pass each judgement to :meth:`absorb` (or
    :meth:`fail`) before asking for the next. :attr:`order` is the ranking so far, at any time.

    Args:
        nodes: leaf ids, best first.
        top: so many of them are reranked; the others stay behind them, in their order.
    """

    def __init__(self, nodes: Sequence[int], *, window: int, carry: int, top: int) -> None:
        self.order = list(nodes)
        self.degraded = False
        self.judged: set[int] = set()
        self._window = window
        self._step = window - carry
        self._end = min(top, len(self.order))
        self._tries = 0
        self._issued = 0

    @property
    def done(self) -> bool:
        """True when the window at the top has been judged."""
        return self._end <= 0

    def next_slate(self) -> Slate | None:
        """The next window, or None at the end; it expands no node, so ``expands`` is the root."""
        if self.done:
            return None
        shown = tuple(Candidate(node) for node in self.order[self._start : self._end])
        slate = Slate(self._issued, 0, shown)
        self._issued += 1
        return slate

    def absorb(self, judgement: Judgement) -> None:
        """Order the window by its scores; equal ones keep their order.

        A candidate without a score is unobserved, not worst: it keeps its place, and the scored
        ones share the other places.
        """
        nodes = self.order[self._start : self._end]
        scored = [node for node in nodes if node in judgement.scores]
        ranked = iter(sorted(scored, key=lambda node: -judgement.scores[node]))
        self.order[self._start : self._end] = [
            next(ranked) if node in judgement.scores else node for node in nodes
        ]
        self.judged.update(scored)
        self.degraded |= len(scored) < len(nodes)
        self._move()

    def fail(self) -> None:
        """The call failed for good: the window is tried once more, then left in its order."""
        self.degraded = True
        self._tries += 1
        if self._tries >= MAX_TRIES:
            self._move()

    @property
    def _start(self) -> int:
        return max(self._end - self._window, 0)

    def _move(self) -> None:
        self._tries = 0
        self._end = 0 if self._start == 0 else self._end - self._step
