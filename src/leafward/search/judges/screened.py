"""A slow judge that reads only what a cheap one puts first."""

from __future__ import annotations

import dataclasses

from leafward.errors import SettingsError
from leafward.protocols import Judge
from leafward.types import NO_USAGE, Judgement, Query, Slate


class ScreenedJudge:
    """Shows a judge the ``keep`` candidates of a slate that ``screen`` scores highest.

    Children that were not shown get the lowest score that the judge gave, so that they are kept
    for later and never win by silence; references that were not shown stay unobserved, since they
    have scores already. Candidates that ``screen`` cannot score are the first to be left out.
    """

    def __init__(self, judge: Judge, screen: Judge, *, keep: int) -> None:
        if keep < 2:
            raise SettingsError(
                f"a judge that is shown {keep} candidates compares nothing",
                hint="set search.screen to 2 or more",
            )
        self._judge = judge
        self._screen = screen
        self._keep = keep

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Screen, then judge; raises what either judge raises."""
        if len(slate.candidates) <= self._keep:
            return await self._judge.judge(query, slate)
        screened = await self._screen.judge(query, slate)
        order = sorted(
            range(len(slate.candidates)),
            key=lambda row: (-screened.scores.get(slate.candidates[row].node, -1.0), row),
        )
        shown = tuple(slate.candidates[row] for row in sorted(order[: self._keep]))
        judged = await self._judge.judge(query, dataclasses.replace(slate, candidates=shown))
        scores = dict(judged.scores)
        if scores:
            floor = min(scores.values())
            left_out = set(slate.candidates) - set(shown)
            scores.update({each.node: floor for each in left_out if not each.reference})
        usage = sum((judged.usage, screened.usage), NO_USAGE)
        return dataclasses.replace(judged, scores=scores, usage=usage)
