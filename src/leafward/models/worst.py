"""The most that a call can cost, for reservations made before it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache

from leafward.models.prices import Prices, with_money
from leafward.types import JsonSchema, Message, Sampling, Usage

_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z\d\n\t]| {2,}| (?=\d)|[^\sA-Za-z\d]+")
_PER_MESSAGE = 8  # role marks and separators of chat templates
_PER_CALL = 32  # such as a system message that the chat template adds
_SCHEMA_NOTE = 64  # the sentence that carries a schema into a prompt


@lru_cache(maxsize=512)
def upper_tokens(text: str) -> int:
    """Tokens that no common BPE vocabulary exceeds on a text; about 1.7 times the truth in English.

    Words cost one per 3 letters, capitals and digits one each (as Qwen and Gemini count digits),
    other signs one a byte, line breaks and 4 spaces one each. Measured with the vocabularies of
    Qwen2.5 and SmolLM2: never exceeded by abstracts, problems, code or other scripts; only a rare
    name on its own or a random string is longer, which the slack of a call covers.
    """
    return sum(_upper(piece) for piece in _PIECES.findall(text))


def _upper(piece: str) -> int:
    if piece[-1].isascii() and piece[-1].isalpha():
        return 1 + (len(piece) - 1) // 3
    if piece[0] == " ":
        return 1 + len(piece) // 4
    return len(piece.encode("utf-8", "surrogatepass"))


def worst_case(
    messages: Sequence[Message],
    schema: JsonSchema | None,
    sampling: Sampling,
    prices: Prices | None,
) -> Usage:
    """Upper bound of one call: every prompt token fresh, every completion token used."""
    prompt = _PER_CALL + sum(_PER_MESSAGE + upper_tokens(each.content) for each in messages)
    if schema is not None:
        prompt += _SCHEMA_NOTE + upper_tokens(json.dumps(schema))
    bound = Usage(calls=1, prompt_tokens=prompt, completion_tokens=sampling.max_tokens)
    return with_money(bound, prices)
