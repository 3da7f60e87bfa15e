"""The completion format: its tags, and what of it a prompt may already have written.

    <think> … </think> <answer> {"query": "…"} </answer>

SQL has the key ``sql``; without reasoning ``<think>`` is left out (query-writing §2).
"""

from __future__ import annotations

import re

THINK, END_THINK, ANSWER, END_ANSWER = "<think>", "</think>", "<answer>", "</answer>"
TAIL = '"}' + END_ANSWER
"""What closes an answer whose string is open."""

STOPS = ('"}', '"\n', '" }', '"<')
"""Where generation may end inside such a string: its closing quote, told by what follows it from
the escaped quotes of a phrase."""

_OPEN = re.compile(r'\{\s*"\w+"\s*:\s*"$')
_QUOTE = re.compile(r'(?:[^"\\]|\\.)*?"', re.DOTALL)


def key_of(syntax: str) -> str:
    """The key of the answer's JSON object."""
    return "sql" if syntax == "sql" else "query"


def prefill_of(syntax: str, *, reasoning: bool) -> str:
    """The most of a completion that is the same for every need, for prompts to end with (§5)."""
    return THINK if reasoning else f'{ANSWER}{{"{key_of(syntax)}": "'


def stops_of(prefill: str) -> tuple[str, ...]:
    """Stop strings of a completion that follows ``prefill``.

    Samplers that cut the stop string off lose the closing quote: see :func:`with_stop`.
    """
    return STOPS if opens_string(prefill) else (END_ANSWER,)


def opens_string(prefill: str) -> bool:
    """Whether a prefill ends inside the string of the answer."""
    return _OPEN.search(prefill) is not None


def with_stop(text: str, prefill: str) -> str:
    """A completion that ended at a stop string, with the part of it that closes the answer.

    Args:
        text: the completion without its stop string.
    """
    return text + ('"' if opens_string(prefill) else END_ANSWER)


def as_written(text: str, prefill: str) -> str:
    """The whole answer: what the prompt began counts as written, and so does what it implies.

    Inside an open string generation stops at the closing quote (:data:`STOPS`), so that the rest
    of the frame, which is the same for every answer, counts as written from there on.
    """
    closed = _QUOTE.match(text) if opens_string(prefill) else None
    if closed is None:
        return prefill + text
    end = closed.end() - 1
    rest = "".join(text[end:].split())
    return prefill + text[:end] + TAIL if TAIL.startswith(rest) else prefill + text
