"""Several judges as one: their scores combined linearly."""

from __future__ import annotations

from collections.abc import Sequence

from leafward.concurrency import map_drained
from leafward.errors import SettingsError
from leafward.protocols import Judge
from leafward.types import NO_USAGE, Judgement, Query, Slate


class FusedJudge:
    """The weighted mean of several judges' scores; weights are made to sum to 1.

    A candidate that some judge did not observe gets the mean over those that did. Reasons come
    from the first judge that gives any.
    """

    def __init__(self, judges: Sequence[tuple[Judge, float]]) -> None:
        if not judges or any(weight <= 0 for _, weight in judges):
            raise SettingsError(
                "fusing needs at least one judge, and weights above 0",
                hint="leave out a judge that shall not count",
            )
        self._judges = tuple(judges)

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Ask every judge, all at once; raises what the first failing one raises."""

        async def ask(pair: tuple[Judge, float]) -> Judgement:
            return await pair[0].judge(query, slate)

        judgements = await map_drained(ask, self._judges, limit=len(self._judges))
        weights = [weight for _, weight in self._judges]
        scores: dict[int, float] = {}
        for candidate in slate.candidates:
            seen = [
                (judgement.scores[candidate.node], weight)
                for judgement, weight in zip(judgements, weights, strict=True)
                if candidate.node in judgement.scores
            ]
            if seen:
                total = sum(weight for _, weight in seen)
                scores[candidate.node] = sum(score * weight for score, weight in seen) / total
        return Judgement(
            scores,
            next((judgement.reasoning for judgement in judgements if judgement.reasoning), ""),
            next((judgement.reasons for judgement in judgements if judgement.reasons), None),
            sum((judgement.usage for judgement in judgements), NO_USAGE),
        )
