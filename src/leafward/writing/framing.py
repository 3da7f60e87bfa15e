"""The completion format: its tags, and what of it a prompt may already have written.

    <think> … </think> <answer> {"query": "…"} </answer>

SQL has the key ``sql``; without reasoning ``<think>`` is left out (query-writing §2).
"""

from __future__ import annotations

import re

THINK, END_THINK, ANSWER, END_ANSWER = "<think>", "</think>", "<answer>", "</answer>"
TAIL = '"}' + END_ANSWER
"""What closes an answer whose string is open."""

STOPS = ('"}', '",', '"\n', '" }', '"<')
"""Where generation may end inside such a string: its closing quote, told by what follows it from
the quotes of a phrase."""

_OPEN = re.compile(r'\{\s*"\w+"\s*:\s*"$')
_ESCAPE_OR_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_AFTER = re.compile(r"\s*(?:[},<]|$)|\n")


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

    Inside an open string generation ends at the closing quote (:data:`STOPS`): the rest of the
    frame, which is the same for every answer, counts as written from there on, and whatever a
    sampler left behind the quote does not.
    """
    end = _closing_quote(text) if opens_string(prefill) else None
    return prefill + text if end is None else prefill + text[:end] + TAIL


def _closing_quote(text: str) -> int | None:
    """Where the quote stands that closes an open string; None where none does."""
    for match in _ESCAPE_OR_QUOTE.finditer(text):
        if match.group() == '"' and _AFTER.match(text, match.end()):
            return match.start()
    return None
