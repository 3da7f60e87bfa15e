"""Summaries at five levels, made of a passage's own words."""

from __future__ import annotations

from leafward.testing.chat import ChatRequest, Reply
from leafward.testing.prompts import items
from leafward.testing.words import leading_words, stable_hash, words

TOPICS = (
    *("animals", "cells", "chemistry", "computing", "disease", "economy"),
    *("energy", "geometry", "language", "measurement", "numbers", "society"),
)
_SUBTOPICS = (
    "causes",
    "effects",
    "examples",
    "functions",
    "limits",
    "methods",
    "models",
    "origins",
)
_FILLER = words("as the passage describes it in some detail for readers who want to know more")


def summaries(request: ChatRequest) -> Reply | None:
    """Five summaries for each passage shown.

    Passages that share their most frequent words share broad summaries: there are 12 at level 1
    and at most 96 at level 2; level 5 begins with the passage's own words.
    """
    if request.kind != "summaries":
        return None
    passages = [{"id": item.id, "summaries": levels(item.text)} for item in items(request)]
    return Reply.json({"passages": passages})


def levels(text: str) -> list[str]:
    """Summaries of 1–2, 3–4, 4–6, 7–10 and 11–20 words."""
    own = leading_words([text], 8) or ["blank"]
    topic = TOPICS[stable_hash("topic", own[0]) % len(TOPICS)]
    aspect = _SUBTOPICS[stable_hash("aspect", own[0]) % len(_SUBTOPICS)]
    return [
        topic,
        f"{topic} and their {aspect}",
        " ".join([topic, "about", *_exactly(own[:2], 2)]),
        " ".join([topic, "about", *_exactly(own, 6)]),
        " ".join(_exactly(words(text), 14)),
    ]


def _exactly(own: list[str], count: int) -> list[str]:
    """The first words, filled up to a count where there are too few."""
    return (own + _FILLER)[:count]
