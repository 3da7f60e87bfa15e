"""Answers to needs by one method, a line of JSON each: a report can be made of them again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from leafward.errors import StoreError
from leafward.evaluate.files import write_lines
from leafward.types import Episode, Usage

Values = dict[str, float]
"""A figure by need."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a method wrote for a need, and what came of it: an episode without its completion.

    ``refused`` is whether the engine rejected the expression. Tokens are 0 where no model was
    asked; those of an answer that was paid for before, and came from the store, are
    ``saved_tokens``.
    """

    need_id: str
    expression: str
    well_formed: bool
    refused: bool
    flaws: tuple[str, ...]
    reward: float | None
    measure: float | None
    hits: int | None
    at_cap: bool | None
    found: int | None
    precision: float | None
    failure: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    saved_tokens: int = 0

    @classmethod
    def of(cls, episode: Episode, usage: Usage) -> Answer:
        """What is kept of an episode, and of what its completion cost."""
        rewrite = episode.rewrite
        kinds = tuple(flaw.kind for flaw in rewrite.problems)
        return cls(
            need_id=episode.need_id,
            expression=rewrite.expression,
            well_formed=rewrite.well_formed,
            refused=rewrite.well_formed and "syntax-error" in kinds,
            flaws=kinds,
            reward=episode.reward,
            measure=None if episode.score is None else episode.score.measure or 0.0,
            hits=episode.hits,
            at_cap=episode.at_cap,
            found=episode.found,
            precision=episode.precision,
            failure=episode.failure,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            saved_tokens=usage.saved_tokens,
        )

    @property
    def tokens(self) -> int:
        """What the method takes for this need, whoever paid for it."""
        return self.prompt_tokens + self.completion_tokens + self.saved_tokens


@dataclass(frozen=True, slots=True)
class Method:
    """A way to write expressions with its answers; ``about`` says what it is, in words."""

    label: str
    about: str
    answers: Mapping[str, Answer]

    def scored(self) -> list[Answer]:
        """Answers that have a reward."""
        return [each for each in self.answers.values() if each.reward is not None]

    def rewards(self) -> Values:
        """Rewards by need."""
        return {each.need_id: each.reward for each in self.scored() if each.reward is not None}

    def found(self) -> Values:
        """1 where anything relevant was found within the cut-off, else 0."""
        return {each.need_id: float(bool(each.measure)) for each in self.scored()}

    def measures(self) -> Values:
        """The reward's own measure (recall, nDCG, …), 0 where nothing was executed."""
        return {each.need_id: each.measure or 0.0 for each in self.scored()}


class AnswerFile:
    """Answers of a method as they come; what was answered under the same key is not asked again."""

    def __init__(self, path: Path, key: Mapping[str, object]) -> None:
        """Args:
        key: everything that decides the answers; answers under another key are thrown away.
        """
        self._path = path
        head = json.dumps({"key": key}, sort_keys=True)
        lines = _lines(path)
        if not lines or lines[0] != head:
            write_lines(path, [head])
            lines = [head]
        self.answers = _read(lines[1:], path)
        if len(self.answers) != len(lines) - 1:
            self._rewrite(head)

    def missing(self, ids: Sequence[str]) -> list[str]:
        """Needs that were not answered, or whose answer had no reward by our own failure."""
        return [
            each for each in ids if each not in self.answers or self.answers[each].reward is None
        ]

    def add(self, answers: Sequence[Answer]) -> None:
        """Keep answers; they are in the file when this returns."""
        with self._path.open("a", encoding="utf-8") as file:
            for answer in answers:
                file.write(json.dumps(asdict(answer), ensure_ascii=True) + "\n")
        self.answers.update({answer.need_id: answer for answer in answers})

    def _rewrite(self, head: str) -> None:
        kept = (json.dumps(asdict(answer), ensure_ascii=True) for answer in self.answers.values())
        write_lines(self._path, [head, *kept])


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{path} cannot be read: {error}", hint="remove it: it is written again"
        ) from error


def _read(lines: Sequence[str], path: Path) -> dict[str, Answer]:
    """Answers by need, the later of two; a last line that a killed process left half is none."""
    found: dict[str, Answer] = {}
    for number, line in enumerate(lines):
        try:
            given = json.loads(line)
            answer = Answer(**{**given, "flaws": tuple(given["flaws"])})
        except (ValueError, TypeError, KeyError) as error:
            if number == len(lines) - 1:
                break
            raise StoreError(
                f"{path}, line {number + 2} is damaged: {error}",
                hint="remove the file: it is written again",
            ) from error
        found[answer.need_id] = answer
    return found
