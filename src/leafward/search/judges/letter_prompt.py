"""The prompt of the letter judge: a multiple-choice question over the candidates."""

from __future__ import annotations

import string
from collections.abc import Sequence

from leafward.types import Message, Query

LETTERS = string.ascii_uppercase


def letter_messages(query: Query, texts: Sequence[str]) -> tuple[Message, ...]:
    """The message for one order of a slate; candidate i of ``texts`` has letter i.

    Question, options, one letter. Asking the question again after the options was no better with
    Qwen2.5-Coder-1.5B (the same ranks on ten of ten hand-made slates whose right topic shares no
    words with the query) and costs as much as the options where queries are long. The texts must
    hold no line breaks, so that none can pass itself off as another option.
    """
    meaning = f"What relevant means: {query.relevance}\n\n" if query.relevance else ""
    options = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False))
    body = (
        f"Question: {query.text}\n\n{meaning}Options:\n{options}\n\n"
        "Which option answers the question, or gives the fact or principle behind it? "
        "Reply with the letter of the option."
    )
    return (Message("user", body),)
