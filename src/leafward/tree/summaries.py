"""Five summaries a passage, asked in batches; what is missing is asked again, alone at last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leafward.concurrency import map_drained
from leafward.protocols import Progress
from leafward.settings import BuildSettings
from leafward.tokens import cut_tokens, estimate_tokens
from leafward.tree import prompts
from leafward.tree.asker import Asker
from leafward.tree.levels import LEVELS
from leafward.tree.report import Tally
from leafward.tree.shapes import Summaries
from leafward.tree.sizes import Room
from leafward.tree.text import clean, cut_words, said
from leafward.types import Document

ANSWER_TOKENS = 150  # room for one passage's summaries in an answer
_TITLE_TOKENS = 60
_SHRINK = 4  # a repeated batch is this much smaller

Five = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """What the model reads of a document or of a group."""

    title: str
    text: str

    @classmethod
    def of(cls, document: Document, most_tokens: int) -> Passage:
        """Title and the first ``most_tokens`` of the text."""
        text = cut_tokens(clean(document.text), most_tokens)
        return cls(cut_tokens(clean(document.title), _TITLE_TOKENS), text)


class Summariser:
    """Asks for the five summaries of tree-search §2.1."""

    def __init__(
        self, asker: Asker, settings: BuildSettings, tally: Tally, progress: Progress
    ) -> None:
        self._asker, self._settings = asker, settings
        self._tally, self._progress = tally, progress
        self._room = Room(asker.chat.context_tokens)
        self.document_tokens = document_tokens(settings, self._room)

    async def summarise(self, passages: Sequence[Passage]) -> list[Five | None]:
        """Summaries in the order of the passages; None where the model gave none that can be used.

        Passages of the same words are asked once.
        """
        distinct = list(dict.fromkeys(passages))
        batches = list(pack(distinct, self._settings.summary_batch, self._room))
        self._progress.start("summaries", len(distinct))
        found = await map_drained(self._settle, batches, limit=self._settings.concurrency)
        self._progress.finish("summaries")
        known = dict(zip(distinct, (five for batch in found for five in batch), strict=True))
        return [known[passage] for passage in passages]

    async def _settle(self, batch: Sequence[Passage]) -> list[Five | None]:
        """One batch, with everything that it takes to complete it."""
        found: dict[Passage, Five] = {}
        waiting = [batch]
        while waiting:
            asked = waiting.pop(0)
            found |= await self._ask(asked)
            missing = [passage for passage in asked if passage not in found]
            if len(asked) > 1 and missing:
                self._tally.repaired("asked again", len(missing))
                size = max(1, min(len(missing), len(asked) // _SHRINK))
                waiting += [missing[lo : lo + size] for lo in range(0, len(missing), size)]
        self._progress.advance("summaries", len(batch))
        return [found.get(passage) for passage in batch]

    async def _ask(self, batch: Sequence[Passage]) -> dict[Passage, Five]:
        messages = prompts.summaries([(passage.title, passage.text) for passage in batch])
        answer = await self._asker.ask(
            "summaries",
            messages,
            Summaries,
            max_tokens=self._room.answer(messages, ANSWER_TOKENS * len(batch)),
        )
        found: dict[Passage, Five] = {}
        for entry in answer.passages if answer is not None else ():
            number = 1 if len(batch) == 1 else entry.id
            five = self._checked(entry.summaries)
            if five is not None and 1 <= number <= len(batch):
                found.setdefault(batch[number - 1], five)
        return found

    def _checked(self, summaries: Sequence[str]) -> Five | None:
        """Summaries cut to the words of their level; None where one says nothing."""
        lines = [said(summary) for summary in summaries]
        if not all(lines) or lines == [f"level {level + 1}" for level in range(len(LEVELS))]:
            return None
        cut = tuple(cut_words(line, most) for line, (_, most) in zip(lines, LEVELS, strict=True))
        self._tally.repaired("cut", sum(a != b for a, b in zip(lines, cut, strict=True)))
        return cut


def document_tokens(settings: BuildSettings, room: Room) -> int:
    """To how many tokens a document is cut, so that one alone always fits the context."""
    free = room.prompt(prompts.summaries([])) - ANSWER_TOKENS - _TITLE_TOKENS
    return max(16, min(settings.summary_document_tokens, free))


def pack(passages: Sequence[Passage], most: int, room: Room) -> Iterator[list[Passage]]:
    """Batches of at most ``most`` passages whose prompt and answer fit the context."""
    free = room.prompt(prompts.summaries([]))
    batch: list[Passage] = []
    used = 0
    for passage in passages:
        tokens = line_tokens(passage) + ANSWER_TOKENS
        if batch and (len(batch) == most or used + tokens > free):
            yield batch
            batch, used = [], 0
        batch.append(passage)
        used += tokens
    if batch:
        yield batch


def line_tokens(passage: Passage) -> int:
    """Estimated tokens of a passage in the prompt."""
    return estimate_tokens(prompts.passage_line(passage.title, passage.text))
