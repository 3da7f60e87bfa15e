"""The one place where the builders ask the model: limits, counts and what a failure means."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from leafward.errors import LeafwardError, ModelRejected, UnusableOutput
from leafward.protocols import ChatModel
from leafward.structured import ask
from leafward.tree.report import Stage, Tally
from leafward.types import Message, Sampling

Shape = TypeVar("Shape", bound=BaseModel)

_TOLERATED = 3
_TOLERATED_SHARE = 0.1


class Asker:
    """Asks at most ``limit`` questions at once and stops asking when one has failed for good.

    An answer that cannot be used is the prompt's trouble: the builder repairs it. So is a prompt
    that is turned away as such while others are answered, up to three and a tenth of all. Every
    other error is the provider's trouble or the user's: an outage must never pass for something
    that the model said, and so the build ends with that error, to be resumed.
    """

    def __init__(self, chat: ChatModel, tally: Tally, *, limit: int) -> None:
        self.chat = chat
        self._tally = tally
        self._slots = asyncio.Semaphore(limit)
        self._fatal: LeafwardError | None = None
        self._answered = 0

    async def ask(
        self, stage: Stage, messages: Sequence[Message], shape: type[Shape], *, max_tokens: int
    ) -> Shape | None:
        """The answer in its shape, or None where this prompt gets no usable one."""
        async with self._slots:
            if self._fatal is not None:
                raise self._fatal
            self._tally.asked[stage] += 1
            try:
                return await self._answer(stage, messages, shape, max_tokens)
            except UnusableOutput:
                self._tally.unusable += 1
                return None
            except LeafwardError as error:
                if self._tolerable(error):
                    return None
                self._fatal = error
                raise

    async def _answer(
        self, stage: Stage, messages: Sequence[Message], shape: type[Shape], max_tokens: int
    ) -> Shape:
        answer = await ask(self.chat, messages, shape, sampling=Sampling(max_tokens=max_tokens))
        self._answered += 1
        self._tally.usage[stage] += answer.usage
        self._tally.salvaged += answer.salvaged
        return answer.value

    def _tolerable(self, error: LeafwardError) -> bool:
        """Whether a failure is this prompt's alone, and one of few."""
        if not (isinstance(error, ModelRejected) and error.of_request and self._answered):
            return False
        self._tally.rejected += 1
        return self._tally.rejected <= max(_TOLERATED, _TOLERATED_SHARE * self._answered)
