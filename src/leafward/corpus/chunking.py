"""Cutting a text into passages at paragraphs, else sentences, else lines, never inside a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from leafward.tokens import estimate_tokens

_BOUNDARIES = (
    re.compile(r"\n(?:[^\S\n]*\n)+"),  # blank lines
    re.compile(r"""[.!?…]["'”’)\]]*\s+(?=[^\sa-z])|[。！？](?:[」』）”’]|)"""),  # sentences
    re.compile(r"\n"),
    re.compile(r"\s+"),
    re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),  # written without spaces
)
_SURELY_LONG = 64
"""Characters a token beyond which a span is split further without being counted first."""


class Span(NamedTuple):
    """Characters ``[start, end)`` of a text and their estimated tokens."""

    start: int
    end: int
    tokens: int


def split_text(text: str, limit: int) -> list[str]:
    """Cut a text into passages of at most ``limit`` estimated tokens, in order, losing no word.

    Passages are slices of the text without the blank space around them, so indentation and line
    breaks inside survive. Only a single word longer than the limit makes a longer passage. Texts
    written without spaces (Chinese, Japanese) are cut between characters where need be.
    """
    spans = _balanced(text, _packed(_pieces(text, 0, len(text), limit, 0), limit), limit)
    return [_trimmed(text[span.start : span.end]) for span in spans]


def _pieces(text: str, start: int, end: int, limit: int, level: int) -> Iterator[Span]:
    """Spans that tile ``[start, end)``, cut no finer than the limit asks for."""
    if level == len(_BOUNDARIES):
        yield Span(start, end, estimate_tokens(text[start:end]))
        return
    if end - start <= limit * _SURELY_LONG:
        tokens = estimate_tokens(text[start:end])
        if tokens <= limit:
            yield Span(start, end, tokens)
            return
    edge = start
    for boundary in _BOUNDARIES[level].finditer(text, start, end):
        yield from _pieces(text, edge, boundary.end(), limit, level + 1)
        edge = boundary.end()
    if edge < end:
        yield from _pieces(text, edge, end, limit, level + 1)


def _packed(pieces: Iterator[Span], limit: int) -> list[Span]:
    """Join neighbours as long as they fit; token counts add up, since no piece cuts a word."""
    packed: list[Span] = []
    for piece in pieces:
        if packed and (piece.tokens == 0 or packed[-1].tokens + piece.tokens <= limit):
            last = packed.pop()
            packed.append(Span(last.start, piece.end, last.tokens + piece.tokens))
        elif piece.tokens:
            packed.append(piece)
    return packed


def _balanced(text: str, spans: list[Span], limit: int) -> list[Span]:
    """Share the last two passages evenly where the last would be a scrap."""
    if len(spans) < 2 or spans[-1].tokens * 4 >= limit:
        return spans
    *head, before, last = spans
    total = before.tokens + last.tokens
    pieces = list(_pieces(text, before.start, last.end, max(1, total // 2), 0))
    best = before.tokens
    cut = last.start
    tokens = 0
    for piece in pieces:
        tokens += piece.tokens
        fits = tokens <= limit and total - tokens <= limit and tokens < total
        if fits and abs(2 * tokens - total) < abs(2 * best - total):
            best, cut = tokens, piece.end
    return [*head, Span(before.start, cut, best), Span(cut, last.end, total - best)]


def _trimmed(passage: str) -> str:
    """Without blank lines around it; the first line keeps its indentation."""
    lead = re.match(r"(?:[^\S\n]*\n)*", passage)
    return passage[lead.end() if lead else 0 :].rstrip()
