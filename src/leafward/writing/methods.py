"""Ways to write an expression, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, get_args

from leafward.errors import SettingsError
from leafward.protocols import ChatModel
from leafward.writing.instructions import EXAMPLES
from leafward.writing.styles import Style
from leafward.writing.writers import (
    MAX_TOKENS,
    AsItIs,
    ExpressionWriter,
    HydeWriter,
    ModelWriter,
    WordWriter,
)

MethodName = Literal["zero-shot", "few-shot", "hyde", "need", "all-words", "three-words"]
METHODS: tuple[MethodName, ...] = get_args(MethodName)
"""A prompt alone, a prompt with our examples, a hypothetical document; and without a model: the
need as it is, AND of all its words, AND of the first three words of its intervention."""

_FREE = frozenset({"need", "all-words", "three-words"})


def asks_model(method: str) -> bool:
    """Whether a method needs a language model."""
    return method not in _FREE


def make_writer(
    method: str,
    style: Style,
    chat: Callable[[], ChatModel],
    *,
    max_tokens: int = MAX_TOKENS,
) -> ExpressionWriter:
    """The writer of a method; ``chat`` opens the model, where one is needed.

    Raises:
        SettingsError: no such method, or one that the syntax does not have.
    """
    match method:
        case "zero-shot":
            return ModelWriter(chat(), style, max_tokens=max_tokens)
        case "few-shot":
            shots = len(EXAMPLES[style.syntax])
            return ModelWriter(chat(), replace(style, shots=shots), max_tokens=max_tokens)
        case "hyde":
            return HydeWriter(chat(), style.syntax)
        case "need":
            return AsItIs(style.syntax)
        case "all-words":
            return WordWriter(style.syntax)
        case "three-words":
            return WordWriter(style.syntax, words=3, part="I")
        case _:
            raise SettingsError(
                f"there is no way of writing called {method!r}",
                hint=f"one of: {', '.join(METHODS)}",
            )
