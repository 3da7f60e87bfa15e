from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.errors import ModelUnavailable, SettingsError
from leafward.protocols import Judge
from leafward.search.judges.fused import FusedJudge
from leafward.types import Candidate, Judgement, Query, Slate, Usage

QUERY = Query("q", "text")
SLATE = Slate(1, 0, tuple(Candidate(node) for node in range(4)))


class Fixed:
    """A judge that always says the same."""

    def __init__(
        self,
        scores: Mapping[int, float],
        reasoning: str = "",
        reasons: Mapping[int, str] | None = None,
    ) -> None:
        self.judgement = Judgement(scores, reasoning, reasons, Usage(calls=1, prompt_tokens=10))

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        return self.judgement


class Down:
    async def judge(self, query: Query, slate: Slate) -> Judgement:
        raise ModelUnavailable("down")


async def test_scores_are_the_weighted_mean() -> None:
    judge: Judge = FusedJudge([(Fixed({0: 1.0, 1: 0.0}), 2.0), (Fixed({0: 0.4, 1: 0.6}), 1.0)])
    judgement = await judge.judge(QUERY, SLATE)
    assert judgement.scores == pytest.approx({0: 0.8, 1: 0.2})
    assert judgement.usage == Usage(calls=2, prompt_tokens=20)


async def test_what_one_judge_did_not_observe_gets_the_mean_of_the_others() -> None:
    fused = FusedJudge([(Fixed({0: 0.5, 1: 0.9}), 3.0), (Fixed({1: 0.1, 2: 0.3, 9: 1.0}), 1.0)])
    scores = (await fused.judge(QUERY, SLATE)).scores
    assert scores == pytest.approx({0: 0.5, 1: 0.7, 2: 0.3})  # 3 is unobserved, 9 not asked for


async def test_reasons_come_from_the_first_judge_that_gives_any() -> None:
    fused = FusedJudge(
        [
            (Fixed({0: 0.5}), 1.0),
            (Fixed({0: 0.5}, "because", {0: "why"}), 1.0),
            (Fixed({0: 0.5}, "other", {0: "other"}), 1.0),
        ]
    )
    judgement = await fused.judge(QUERY, SLATE)
    assert judgement.reasoning == "because"
    assert judgement.reasons == {0: "why"}


@given(
    st.lists(
        st.tuples(st.dictionaries(st.integers(0, 3), st.floats(0, 1)), st.floats(0.01, 100)),
        min_size=1,
        max_size=4,
    )
)
async def test_scores_stay_between_those_of_the_judges(
    parts: list[tuple[dict[int, float], float]],
) -> None:
    fused = FusedJudge([(Fixed(scores), weight) for scores, weight in parts])
    combined = (await fused.judge(QUERY, SLATE)).scores
    assert set(combined) == {node for scores, _ in parts for node in scores}
    for node, score in combined.items():
        seen = [scores[node] for scores, _ in parts if node in scores]
        assert min(seen) - 1e-9 <= score <= max(seen) + 1e-9


async def test_a_failing_judge_fails_the_judgement() -> None:
    with pytest.raises(ModelUnavailable):
        await FusedJudge([(Fixed({0: 1.0}), 1.0), (Down(), 1.0)]).judge(QUERY, SLATE)


@pytest.mark.parametrize("weights", [[], [0.0], [1.0, -0.5]])
def test_weights_must_be_positive(weights: list[float]) -> None:
    with pytest.raises(SettingsError):
        FusedJudge([(Fixed({}), weight) for weight in weights])
