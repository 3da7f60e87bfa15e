"""Whether a judge failed for reasons that are not the method's: the budget, or the provider."""

from __future__ import annotations

from leafward.errors import BudgetExceeded, LeafwardError, ModelError
from leafward.protocols import Judge
from leafward.types import Judgement, Query, Slate, StopReason


class WatchedJudge:
    """A judge that remembers what it failed with; its driver turns failures into results."""

    def __init__(self, inner: Judge) -> None:
        self._inner = inner
        self._spent: BudgetExceeded | None = None
        self._outage: ModelError | None = None
        self._answered = False

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Ask the inner judge."""
        try:
            judgement = await self._inner.judge(query, slate)
        except BudgetExceeded as error:
            if error.whole_job:
                self._spent = error
            raise
        except ModelError as error:
            self._outage = None if error.of_request else error
            raise
        self._outage, self._answered = None, True
        return judgement

    def failure(self, stop: StopReason) -> LeafwardError | None:
        """What ended a search that stopped so, where it was not the method's doing.

        A model whose answers cannot be used is the method's doing; one that could not be reached,
        ever or to the end, and a budget of the whole job, are not.
        """
        lost = stop == "failures" or not self._answered
        return self._spent or (self._outage if lost else None)
