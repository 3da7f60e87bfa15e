"""The listwise judge: one language-model call scores a whole slate (LATTICE v2 eq. 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from leafward.errors import UnusableOutput
from leafward.protocols import ChatModel
from leafward.search.judges.prompts import listwise_messages
from leafward.structured import ask
from leafward.tokens import cut_tokens, estimate_messages
from leafward.types import Judgement, Message, Query, Sampling, Slate

REASONING_TOKENS = 400
TOKENS_PER_CANDIDATE = 60
SAFETY = 1.15  # estimates of prompt tokens are that far off at most
MIN_CANDIDATE_TOKENS = 8


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a score must be a number")
    return value


class CandidateScore(BaseModel):
    """One candidate's score, 0-100 (clamped), with a short reason."""

    id: int
    score: Annotated[float, BeforeValidator(_finite)]
    reason: str = ""


class SlateScores(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(title="slate_scores")

    reasoning: str = ""
    scores: list[CandidateScore] = Field(min_length=1)


class ListwiseJudge:
    """Asks a chat model for brief reasoning and a 0-100 score per candidate, as JSON.

    An id that the model left out is unobserved; a score outside 0-100 is clamped, an unknown id
    ignored, a repeated one counts the first time. Candidate texts are cut so that prompt and
    answer fit the model's context, and to ``candidate_tokens`` at most.
    """

    def __init__(self, chat: ChatModel, *, candidate_tokens: int = 400) -> None:
        self._chat = chat
        self._candidate_tokens = candidate_tokens

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Score a slate whose candidates carry their texts.

        Raises:
            ModelError: the call failed for good, or no candidate got a usable score.
        """
        texts = [candidate.text for candidate in slate.candidates]
        answer = await ask(
            self._chat,
            self._messages(query, texts),
            SlateScores,
            sampling=Sampling(max_tokens=_answer_tokens(len(texts))),
        )
        scores, reasons = _by_node(answer.value.scores, slate)
        if not scores:
            raise UnusableOutput(
                f"{self._chat.name} scored none of the {len(texts)} candidates",
                hint="use a stronger model, or --judge letters for a small local one",
            )
        return Judgement(scores, answer.value.reasoning, reasons, answer.usage)

    def _messages(self, query: Query, texts: Sequence[str]) -> tuple[Message, ...]:
        empty = listwise_messages(query, [""] * len(texts))
        fixed = SAFETY * estimate_messages(empty)
        room = self._chat.context_tokens - _answer_tokens(len(texts)) - fixed
        each = int(min(self._candidate_tokens, room / SAFETY / max(len(texts), 1)))
        if each < MIN_CANDIDATE_TOKENS:  # a query longer than the context: keep its beginning
            return self._messages(_shortened(query), texts)
        return listwise_messages(query, [cut_tokens(text, each) for text in texts])


def _answer_tokens(candidates: int) -> int:
    return REASONING_TOKENS + TOKENS_PER_CANDIDATE * candidates


def _shortened(query: Query) -> Query:
    words = query.text.split()
    if len(words) < 2:
        raise UnusableOutput(
            "the slate does not fit the model's context even without the query",
            hint="raise models.context_tokens to what the model has, or build with less branching",
        )
    half = " ".join(words[: len(words) // 2])
    return Query(query.id, half, query.relevance, query.excluded_ids)


def _by_node(
    items: Sequence[CandidateScore], slate: Slate
) -> tuple[dict[int, float], dict[int, str]]:
    scores: dict[int, float] = {}
    reasons: dict[int, str] = {}
    for item in items:
        if not 0 <= item.id < len(slate.candidates):
            continue
        node = slate.candidates[item.id].node
        if node not in scores:
            scores[node] = min(max(item.score / 100, 0.0), 1.0)
            reasons[node] = item.reason
    return scores, reasons
