from __future__ import annotations

import math
import threading
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from leafward.search.judges.cross_encoder import CrossEncoderJudge
from leafward.tokens import estimate_tokens
from leafward.types import Candidate, Query, Slate

Pairs = Sequence[tuple[str, str]]


def slate(*texts: str) -> Slate:
    return Slate(0, 0, tuple(Candidate(100 + n, text) for n, text in enumerate(texts)))


async def test_scores_are_logistic_and_go_to_their_nodes() -> None:
    seen: list[tuple[str, str]] = []

    def score(pairs: Pairs) -> npt.NDArray[np.float64]:
        seen.extend(pairs)
        assert threading.current_thread() is not threading.main_thread()
        return np.array([-3.0, 0.0, 800.0])

    judgement = await CrossEncoderJudge(score).judge(Query("q", "why"), slate("a", "b", "c"))
    assert seen == [("why", "a"), ("why", "b"), ("why", "c")]
    assert judgement.scores == pytest.approx({100: 1 / (1 + math.exp(3)), 101: 0.5, 102: 1.0})
    assert judgement.usage.calls == 0


async def test_candidates_are_cut() -> None:
    lengths: list[int] = []

    def score(pairs: Pairs) -> npt.NDArray[np.float64]:
        lengths.extend(estimate_tokens(text) for _, text in pairs)
        return np.zeros(len(pairs))

    judge = CrossEncoderJudge(score, candidate_tokens=20)
    await judge.judge(Query("q", "why"), slate("word " * 500))
    assert lengths[0] <= 20
