"""Judges that know the truth: exact, or with the errors that a listwise model makes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leafward.testing.chat import ChatRequest, Reply, Rule
from leafward.testing.prompts import items, lettered, query_text
from leafward.testing.words import seeded

Score = Callable[[str, str], float]
"""Relevance in [0, 1] of a candidate's text to a query's text; see :class:`Oracle`."""


@dataclass(frozen=True)
class Noise:
    """How a judge errs, in score units (0–1).

    A candidate of relevance r on a slate of mean relevance m gets
    ``clip(r + contrast · (r − m) + ε_slate + ε_node)``: the same candidate looks better in weak
    company, and whole slates are judged too mildly or too harshly. ``slate`` and ``node`` are
    the standard deviations. The noise depends on ``seed`` and the prompt, nothing else.
    """

    contrast: float = 0.8
    slate: float = 0.25
    node: float = 0.15
    seed: int = 0

    def apply(self, relevance: Sequence[float], key: str) -> list[float]:
        """Scores in [0, 1] for one slate; ``key`` names it."""
        random = seeded("noise", self.seed, key)
        mean = sum(relevance) / max(len(relevance), 1)
        shared = random.gauss(0.0, self.slate)
        return [
            min(
                max(r + self.contrast * (r - mean) + shared + random.gauss(0.0, self.node), 0.0),
                1.0,
            )
            for r in relevance
        ]


def oracle_judge(score: Score) -> Rule:
    """Score every candidate by its true relevance, times 100."""
    return noisy_judge(score, Noise(0.0, 0.0, 0.0))


def noisy_judge(score: Score, noise: Noise) -> Rule:
    """Score every candidate by its relevance with set-dependent bias and noise, times 100."""

    def rule(request: ChatRequest) -> Reply | None:
        if request.kind != "slate_scores":
            return None
        query, shown = query_text(request), items(request)
        scores = noise.apply([score(query, item.text) for item in shown], request.key)
        entries = [
            {"id": item.id, "score": round(100 * value), "reason": f"relevance {value:.2f}"}
            for item, value in zip(shown, scores, strict=True)
        ]
        return Reply.json({"reasoning": f"Scored {len(shown)} candidates.", "scores": entries})

    return rule


def letters(score: Score, *, temperature: float = 0.2, order_bias: float = 0.0) -> Rule:
    """Answer a letter question by the distribution softmax(relevance / temperature).

    ``order_bias`` (in score units) is added to the first option and falls to 0 at the last, as
    small models prefer what they read first.
    """

    def rule(request: ChatRequest) -> Reply | None:
        options = lettered(request)
        if request.kind != "letters" or not options:
            return None
        query, last = query_text(request), max(len(options) - 1, 1)
        logits = {
            letter: (score(query, text) + order_bias * (1 - n / last)) / temperature
            for n, (letter, text) in enumerate(options)
        }
        total = math.log(sum(math.exp(value - max(logits.values())) for value in logits.values()))
        top = max(logits.values()) + total
        distribution = {letter: value - top for letter, value in logits.items()}
        best = max(distribution, key=distribution.__getitem__)
        return Reply(best, distributions=(distribution,))

    return rule
