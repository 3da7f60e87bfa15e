"""The letter judge: reads which candidate a model would pick, instead of asking it for numbers.

A small model gives constant scores when asked for numbers, but its distribution over the letters
of a list is informative. Each letter's log-probability is, by Luce's choice axiom, the candidate's
utility minus a constant of the slate: exactly the form ``s = θ + b`` that calibration fits. (Luce,
"Individual Choice Behavior", 1959; both orders against position bias as in Zheng et al., "Judging
LLM-as-a-Judge", arXiv 2306.05685.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from leafward.concurrency import map_drained
from leafward.errors import SettingsError, UnusableOutput
from leafward.protocols import ChatModel
from leafward.search.judges.letter_prompt import LETTERS, letter_messages
from leafward.tokens import cut_tokens, estimate_messages
from leafward.types import NO_USAGE, Candidate, Completion, Judgement, Query, Sampling, Slate, Usage

MAX_CANDIDATES = len(LETTERS)
SAFETY = 1.15  # estimates of prompt tokens are that far off at most
ANSWER_TOKENS = 8
MIN_CANDIDATE_TOKENS = 8

LogProbs = npt.NDArray[np.float64]
"""float64 ``[n]``, natural logarithms, by candidate."""


class LetterJudge:
    """Lists the candidates as A, B, … and scores each by the probability of its letter.

    With ``both_orders`` the slate is read a second time backwards and the log-probabilities are
    averaged, because models favour places. ``top_logprobs`` is how much of the distribution is
    asked for: 20 is what the OpenAI API gives at most, local models give 100. A letter outside it
    gets the smallest probability inside.

    A slate holds 26 candidates at most; references beyond that are left out, and unobserved.
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        both_orders: bool = True,
        candidate_tokens: int = 400,
        top_logprobs: int = 20,
    ) -> None:
        self._chat = chat
        self._both_orders = both_orders
        self._candidate_tokens = candidate_tokens
        self._sampling = Sampling(max_tokens=1, top_logprobs=top_logprobs)

    async def judge(self, query: Query, slate: Slate) -> Judgement:
        """Score a slate whose candidates carry their texts; there are no reasons.

        Raises:
            SettingsError: the model gives no log-probabilities, or 26 letters are too few.
            ModelError: a call failed for good, or the model would not answer with a letter.
        """
        candidates = _fitting(slate)
        orders = [candidates, candidates[::-1]] if self._both_orders else [candidates]

        async def read(order: Sequence[Candidate]) -> tuple[LogProbs, Usage]:
            return await self._read(query, order)

        answers = await map_drained(read, orders, limit=len(orders))
        logprobs = [answer[0] for answer in answers]
        if self._both_orders:
            logprobs[1] = logprobs[1][::-1]
        scores = to_scores(np.mean(logprobs, axis=0))
        nodes = [candidate.node for candidate in candidates]
        usage = sum((answer[1] for answer in answers), NO_USAGE)
        return Judgement(dict(zip(nodes, scores.tolist(), strict=True)), usage=usage)

    async def _read(self, query: Query, order: Sequence[Candidate]) -> tuple[LogProbs, Usage]:
        messages = letter_messages(query, self._cut(query, [item.text for item in order]))
        completion = await self._chat.complete(messages, sampling=self._sampling)
        top = _first_token(completion, self._chat.name)
        found = letter_logprobs(top, len(order))
        if found is None:
            raise UnusableOutput(
                f"{self._chat.name} would not answer with a letter but with {completion.text!r}",
                hint="use a model that follows instructions, or another judge",
            )
        return found, completion.usage

    def _cut(self, query: Query, texts: Sequence[str]) -> list[str]:
        """Candidate texts on one line each, all of which fit the model's context."""
        bare = letter_messages(query, [""] * len(texts))
        fixed = SAFETY * estimate_messages(bare)
        room = self._chat.context_tokens - ANSWER_TOKENS - fixed
        each = int(min(self._candidate_tokens, room / SAFETY / max(len(texts), 1)))
        if each < MIN_CANDIDATE_TOKENS:
            raise SettingsError(
                f"{len(texts)} candidates and this query do not fit {self._chat.name}'s context",
                hint="raise models.context_tokens, or shorten the query",
            )
        return [cut_tokens(" ".join(text.split()), each) for text in texts]


def _fitting(slate: Slate) -> tuple[Candidate, ...]:
    """The candidates that get a letter: all children, and references while letters last."""
    surplus = len(slate.candidates) - MAX_CANDIDATES
    if surplus <= 0:
        return slate.candidates
    references = [candidate for candidate in slate.candidates if candidate.reference]
    if len(references) < surplus:
        raise SettingsError(
            f"a slate of {len(slate.candidates)} candidates has more than {MAX_CANDIDATES} letters",
            hint="build with branching 26 or less, or use another judge",
        )
    dropped = {candidate.node for candidate in references[-surplus:]}
    return tuple(c for c in slate.candidates if not (c.reference and c.node in dropped))


def _first_token(completion: Completion, name: str) -> Mapping[str, float]:
    if not completion.logprobs or not completion.logprobs[0].top:
        raise SettingsError(
            f"{name} gives no log-probabilities, which the letter judge reads",
            hint="use a local model or an endpoint with logprobs, or the listwise judge",
        )
    return completion.logprobs[0].top


def letter_logprobs(top: Mapping[str, float], count: int) -> LogProbs | None:
    """Log-probability of each of ``count`` letters, given that the answer is one of them.

    Tokens that are a letter with blanks around it count for that letter; a letter that is not in
    the distribution gets its smallest value. None where no letter is in it at all.
    """
    found = np.full(count, -np.inf)
    for token, logprob in top.items():
        place = LETTERS.find(token.strip()) if len(token.strip()) == 1 else -1
        if 0 <= place < count:
            found[place] = np.logaddexp(found[place], logprob)
    if np.isneginf(found).all():
        return None
    found = np.where(np.isneginf(found), min(top.values()), found)
    normalised: LogProbs = found - np.logaddexp.reduce(found)
    return normalised


def to_scores(logprobs: LogProbs) -> npt.NDArray[np.float64]:
    """Map log-probabilities over n candidates to [0, 1]: ``s = n·p / (1 + n·p)``.

    1/2 is what a model without preference gives to each candidate, whatever n is, so that slates
    of different size can be compared. In the logarithm of p it is the logistic curve: near 1/2
    each nat adds 1/4, so that scores keep the form θ + b; far away it flattens instead of cutting
    off, so that no two candidates are made equal.
    """
    odds = np.exp(logprobs) * len(logprobs)
    scores: npt.NDArray[np.float64] = odds / (1.0 + odds)
    return scores
