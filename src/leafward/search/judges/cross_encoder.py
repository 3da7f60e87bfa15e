"""The cross-encoder judge: a model that reads query and candidate together and gives one number."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from leafward.tokens import cut_tokens
from leafward.types import Judgement, Query, Slate

ScorePairs = Callable[[Sequence[tuple[str, str]]], npt.NDArray[np.float64]]
"""Logits, float64 ``[n]``, for pairs of query and text; blocks while it works."""


class CrossEncoderJudge:
    """Scores each candidate by itself: ``s = 1 / (1 + exp(-logit))``.

    The logistic curve keeps the order and brings scores into [0, 1]. Candidate texts are cut to
    ``candidate_tokens``; the model cuts further to what it can read.
    """

    def __init__(self, score: ScorePairs, *, candidate_tokens: int = 400) -> None:
        self._score = score
        self._candidate_tokens = candidate_tokens

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Score every candidate, in a thread."""
        texts = [cut_tokens(each.text, self._candidate_tokens) for each in slate.candidates]
        logits = await asyncio.to_thread(self._score, [(query.text, text) for text in texts])
        scores = 0.5 * (1.0 + np.tanh(0.5 * np.asarray(logits, dtype=np.float64)))
        nodes = [candidate.node for candidate in slate.candidates]
        return Judgement(dict(zip(nodes, scores.tolist(), strict=True)))
