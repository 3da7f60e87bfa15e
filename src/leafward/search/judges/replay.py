"""Replay: a stored trace answers instead of a judge."""

from __future__ import annotations

from leafward.errors import UnusableOutput
from leafward.types import Judgement, Query, Slate, Trace


class ReplayJudge:
    """Answers each slate with what the trace holds for it.

    Slates are matched by their candidates, so a replay under other settings works as far as it
    makes the same slates; one that the trace does not hold raises :class:`UnusableOutput`.
    """

    def __init__(self, trace: Trace) -> None:
        self._answers = {_key(step.slate): step.judgement for step in trace.steps}

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Look the slate up."""
        judgement = self._answers.get(_key(slate))
        if judgement is None:
            raise UnusableOutput(
                f"the trace holds no judgement of slate {slate.id} (node {slate.expands})",
                hint="replay with the settings and the index generation that made the trace",
            )
        return judgement


def _key(slate: Slate) -> tuple[int, tuple[int, ...]]:
    return slate.expands, tuple(candidate.node for candidate in slate.candidates)
