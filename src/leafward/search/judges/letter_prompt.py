"""The prompt of the letter judge: query first, lettered candidates last, one letter asked for."""

from __future__ import annotations

import string
from collections.abc import Sequence

from leafward.types import Message, Query

LETTERS = string.ascii_uppercase


def letter_messages(query: Query, texts: Sequence[str]) -> tuple[Message, ...]:
    """The messages for one order of a slate; candidate i of ``texts`` has letter i.

    The texts must hold no line breaks, so that none can pass itself off as another candidate.
    """
    meaning = f"What relevant means: {query.relevance}\n\n" if query.relevance else ""
    lines = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False))
    return (
        Message(
            "user",
            f"Query: {query.text}\n\n{meaning}"
            "Which of these texts answers or explains the query best?\n\n"
            f"{lines}\n\nAnswer with one letter.",
        ),
    )
