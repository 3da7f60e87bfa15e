"""Arithmetic of depth, parts and context: what fits, asked before anything is done."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from leafward.tokens import estimate_tokens
from leafward.types import Message

FILL = 0.75
"""How full embedding clusters are made on average: full ones leave no freedom to be coherent."""

_MARGIN = 0.85  # token estimates are within about 15 % of a tokenizer's
_THINKING = 2_000  # answer tokens on top: reasoning models count theirs ...
_THINKING_SHARE = 8  # ... but models of a short context are small ones, which only ramble
_PER_MESSAGE = 4


def message_tokens(messages: Sequence[Message]) -> int:
    """Estimated prompt tokens of a conversation."""
    return sum(
        _PER_MESSAGE + (_fixed if message.role == "system" else estimate_tokens)(message.content)
        for message in messages
    )


@lru_cache(maxsize=16)
def _fixed(instruction: str) -> int:
    """Tokens of a system turn: there is one a stage, asked about for every call."""
    return estimate_tokens(instruction)


class Room:
    """What fits into a model's context, in estimated tokens."""

    def __init__(self, context_tokens: int) -> None:
        self._most = int(context_tokens * _MARGIN)
        self._extra = min(_THINKING, context_tokens // _THINKING_SHARE)

    def prompt(self, without_data: Sequence[Message]) -> int:
        """Tokens left for data and answer beside these messages, never less than 64."""
        return max(64, self._most - message_tokens(without_data))

    def answer(self, messages: Sequence[Message], needed: int) -> int:
        """``max_tokens`` for an answer of ``needed`` tokens, generous where the context allows."""
        return max(64, min(needed + self._extra, self._most - message_tokens(messages)))


def levels_for(items: int, branching: int) -> int:
    """Fewest edges from a node down to ``items`` below it: ⌈log_M n⌉, 0 for one item."""
    levels, held = 0, 1
    while held < items:
        held *= branching
        levels += 1
    return levels


def parts_for(items: int, branching: int, capacity: int) -> int:
    """Into how many parts embeddings split a node: up to M, filled to ``FILL`` on average.

    ``capacity`` is what one part may hold at most; needs ``items <= branching * capacity``.
    """
    wanted = math.ceil(items / (FILL * branching))
    return max(2, min(branching, wanted), math.ceil(items / capacity))
