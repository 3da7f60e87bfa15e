"""Answers written down beforehand."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

from leafward.testing.chat import ChatRequest, Reply, Rule

Canned = str | Reply | Mapping[str, object]
"""A text, a whole reply, or a value to send as JSON."""


def canned(answers: Mapping[str, Canned]) -> Rule:
    """Answer with the first entry whose key stands in the prompt; an empty key fits them all."""
    replies = [(key, _reply(answer)) for key, answer in answers.items()]

    def rule(request: ChatRequest) -> Reply | None:
        return next((reply for key, reply in replies if key in request.prompt), None)

    return rule


def in_turn(answers: Iterable[Canned], *, kind: str | None = None) -> Rule:
    """Answer with one entry after another, in order of arrival; nothing once they are used up."""
    rest = iter([_reply(answer) for answer in answers])
    lock = threading.Lock()

    def rule(request: ChatRequest) -> Reply | None:
        if kind is not None and request.kind != kind:
            return None
        with lock:
            return next(rest, None)

    return rule


def _reply(answer: Canned) -> Reply:
    if isinstance(answer, Reply):
        return answer
    return Reply(answer) if isinstance(answer, str) else Reply.json(answer)
