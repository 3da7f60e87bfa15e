"""Who writes expressions: a model in the completion format, or a rule that costs nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from leafward.errors import SettingsError
from leafward.protocols import ChatModel
from leafward.tokens import cut_tokens, estimate_messages
from leafward.types import Completion, Flaw, Message, Need, Query, Rewrite, Sampling
from leafward.writing.framing import ANSWER, THINK, with_stop
from leafward.writing.parsing import parse_completion
from leafward.writing.rewriters import SAFETY, Hyde
from leafward.writing.styles import Style
from leafward.writing.words import content_words

MAX_TOKENS = 500
"""Longest completion (query-writing §5)."""

TEMPERATURE = 0.8
"""Of every attempt but the first, which is greedy."""


class ExpressionWriter(Protocol):
    """Writes an expression for a need."""

    async def write(self, need: Need, *, attempt: int = 0) -> Rewrite:
        """Write once; another attempt may bring another expression.

        Raises:
            ModelError, BudgetExceeded, Interrupted: as :meth:`leafward.protocols.ChatModel`.
        """


class ModelWriter:
    """Asks a model in a style and reads its completion."""

    def __init__(self, chat: ChatModel, style: Style, *, max_tokens: int = MAX_TOKENS) -> None:
        self._chat = chat
        self._style = style
        self._max_tokens = max_tokens

    async def write(self, need: Need, *, attempt: int = 0) -> Rewrite:
        """Write once: greedily, or sampled with the attempt as seed."""
        prompt = self._style.prompt(self._shortened(need))
        turns = prompt.messages
        if prompt.prefill:
            turns = (*turns, Message("assistant", prompt.prefill))
        sampling = Sampling(
            temperature=TEMPERATURE if attempt else 0.0,
            max_tokens=self._max_tokens,
            seed=attempt,
            # Without a prefill the model itself has to close the answer.
            stop=prompt.stop if prompt.prefill else (),
        )
        return self._read(await self._chat.complete(turns, sampling=sampling), prompt.prefill)

    def _read(self, completion: Completion, prefill: str) -> Rewrite:
        text = completion.text
        if prefill and text.lstrip().startswith((THINK, ANSWER)):
            prefill = ""  # this server answers anew where others go on
        elif prefill and completion.finish_reason == "stop":
            text = with_stop(text, prefill)
        rewrite = parse_completion(
            text, syntax=self._style.syntax, reasoning=self._style.reasoning, prefill=prefill
        )
        if completion.finish_reason == "length" and not rewrite.well_formed:
            rewrite = replace(rewrite, problems=(self._cut_off(), *rewrite.problems))
        return replace(rewrite, usage=completion.usage)

    def _cut_off(self) -> Flaw:
        """Why the rest is missing: small models repeat themselves until nothing is left."""
        return Flaw(
            "cut-off",
            f"the answer was cut off after {self._max_tokens} tokens; try several candidates, "
            "another method, or another model",
        )

    def _shortened(self, need: Need) -> Need:
        """The need, whose parts keep their beginnings where all of it does not fit the context."""
        bare = self._style.prompt(replace(need, text="", pico={}))
        fixed = estimate_messages(bare.messages)
        room = int((self._chat.context_tokens - self._max_tokens) / SAFETY - fixed)
        parts = {key: part for key, part in need.pico.items() if part}
        share = max(room // max(len(parts), 1), 16)
        return replace(
            need,
            text=cut_tokens(need.text, share),
            pico={key: cut_tokens(part, share) for key, part in parts.items()},
        )


class HydeWriter:
    """HyDE-like: a hypothetical document (Gao et al., ACL 2023) stands for the need.

    A ranking engine gets the document itself. A Boolean engine gets the first three words of the
    need that the document uses too, joined with AND: those that a real one is likely to hold.
    """

    def __init__(self, chat: ChatModel, syntax: str) -> None:
        self._hyde = Hyde(chat)
        self._boolean = _checked(syntax) != "text"

    async def write(self, need: Need, *, attempt: int = 0) -> Rewrite:
        """Write once; every attempt is the same."""
        rewrite = await self._hyde.rewrite(Query(need.id, need.text))
        if not self._boolean:
            return rewrite
        used = set(content_words(rewrite.expression))
        asked = content_words(need.text)
        shared = [word for word in asked if word in used] or asked
        return replace(rewrite, expression=_joined(shared[:3]), reasoning=rewrite.expression)


class WordWriter:
    """Baselines without a model: the need as it is, or its words.

    ``words`` is how many of the need's content words are joined with AND (in free text: put one
    after the other), None for all; ``part`` takes them from one part of a PICO question where the
    need has it.
    """

    def __init__(self, syntax: str, *, words: int | None = None, part: str = "") -> None:
        self._boolean = _checked(syntax) != "text"
        self._words = words
        self._part = part

    async def write(self, need: Need, *, attempt: int = 0) -> Rewrite:
        """Write once; every attempt is the same."""
        words = content_words(need.pico.get(self._part, "").strip() or need.text)[: self._words]
        return Rewrite(_joined(words) if self._boolean else " ".join(words))


class AsItIs:
    """The original need as the expression, whatever the engine makes of it."""

    def __init__(self, syntax: str) -> None:
        _checked(syntax)

    async def write(self, need: Need, *, attempt: int = 0) -> Rewrite:
        """The need's text."""
        return Rewrite(need.text)


def _joined(words: list[str]) -> str:
    return " AND ".join(words)


def _checked(syntax: str) -> str:
    if syntax == "sql":
        raise SettingsError(
            "words of a question are no SQL", hint="use zero-shot or few-shot with an sql engine"
        )
    return syntax
