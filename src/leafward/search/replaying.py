"""Going through a finished search again, judgement by judgement, without a judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leafward.errors import SettingsError
from leafward.search.traversal import Traversal
from leafward.settings import SearchSettings
from leafward.types import Slate, Step, Trace, Tree


@dataclass(frozen=True, slots=True)
class Draw:
    """A node as it was taken for expansion: its slate, and the frontier it was taken from.

    ``frontier`` has path relevance by node id, best first and the taken node included;
    ``judgements`` counts those that were entered before.
    """

    slate: Slate
    judgements: int
    frontier: dict[int, float]


class Replay:
    """Repeats what a trace records: the same slates, the same judgements in the same order.

    Iterating gives the number of judgements entered so far, each time that the state has changed;
    :attr:`traversal` then holds the state that the search had at that point. Slates that were
    never answered (a spent budget, a deadline) are taken back at the end, so that their nodes
    stand on the frontier.

    Args:
        settings, live, k: those of the search that made the trace.
    """

    def __init__(
        self,
        tree: Tree,
        trace: Trace,
        settings: SearchSettings,
        *,
        live: npt.NDArray[np.bool_] | None = None,
        k: int = 10,
    ) -> None:
        self.traversal = Traversal(tree, trace.query, settings, live=live, k=k)
        self.draws: list[Draw] = []
        self.frontiers: list[dict[int, float]] = []
        self.unanswered: list[int] = []
        self._live = live
        self._trace = trace
        self._recorded = {step.slate.id: step for step in trace.steps}
        self._waiting: dict[int, Slate] = {}

    def __iter__(self) -> Iterator[int]:
        """Step through the trace once.

        Raises:
            SettingsError: tree or settings are not those that made the trace.
        """
        self._issue()
        for step in self._trace.steps:
            self._answer(step)
            if self._entered():
                yield len(self.traversal.steps)
            self._issue()
        for slate_id, slate in sorted(self._waiting.items()):
            self.traversal.withdraw(slate_id)
            self.unanswered.append(slate.expands)
        self.traversal.flush()
        if self._entered():
            yield len(self.traversal.steps)

    def run(self) -> Replay:
        """Step through to the end, at once."""
        for _ in self:
            pass
        return self

    def shows(self, leaf: int) -> bool:
        """Whether the search may show this leaf."""
        return self._live is None or bool(self._live[self.traversal.tree.position(leaf)])

    def _issue(self) -> None:
        """Hand out what the search handed out; what the trace lacks was never answered."""
        frontier = self._frontier()
        while (slate := self.traversal.next_slate()) is not None:
            recorded = self._recorded.get(slate.id)
            if recorded is not None and not _same(recorded.slate, slate):
                raise _foreign()
            self._waiting[slate.id] = slate
            if slate.expands in frontier:  # not so where the judge had left candidates out
                self.draws.append(Draw(slate, len(self.traversal.steps), frontier))
                frontier = self._frontier()

    def _answer(self, step: Step) -> None:
        if self._waiting.pop(step.slate.id, None) is None:
            raise _foreign()
        if step.judgement is None:
            self.traversal.fail(step.slate.id)
        else:
            self.traversal.absorb(step.slate.id, step.judgement)

    def _entered(self) -> bool:
        """Whether judgements were entered since the last look; notes the frontier after each."""
        new = len(self.traversal.steps) - len(self.frontiers)
        if new:
            self.frontiers += [self._frontier()] * new
        return new > 0

    def _frontier(self) -> dict[int, float]:
        book = self.traversal.book
        return {node: book.path_relevance(node) for node in self.traversal.frontier()}


def _same(one: Slate, other: Slate) -> bool:
    return one.expands == other.expands and [c.node for c in one.candidates] == [
        c.node for c in other.candidates
    ]


def _foreign() -> SettingsError:
    return SettingsError(
        "this trace is of another search: it shows other slates",
        hint="replay with the settings and the index generation that made the trace",
    )
