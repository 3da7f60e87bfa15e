"""How a policy is asked: syntax, with or without reasoning, examples, prefill; and the prompt."""

from __future__ import annotations

import json
from dataclasses import dataclass

from leafward.errors import SettingsError
from leafward.protocols import SearchEngine, TableEngine
from leafward.types import Message, Need
from leafward.writing import instructions
from leafward.writing.framing import (
    ANSWER,
    END_ANSWER,
    END_THINK,
    THINK,
    key_of,
    prefill_of,
    stops_of,
)

PARTS = {
    "P": "patient or problem",
    "I": "intervention",
    "C": "comparison",
    "O": "outcome",
}
"""The parts of a PICO question, as the prompt names them."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What goes to a model: turns, and the beginning of its own answer.

    ``prefill`` follows the generation prompt of the chat template; a completion is what comes after
    it. ``stop`` are strings at which generation may end, and which the completion keeps.
    """

    messages: tuple[Message, ...]
    prefill: str
    stop: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Style:
    """Everything that decides a prompt beside the need; a trained policy is asked in its own.

    ``shots`` of our examples come first, as turns of their own. ``prefilled`` ends the prompt with
    as much of the answer as is the same for every need. ``schema`` is the database of an SQL
    engine.

    Raises:
        SettingsError: an unknown syntax, more examples than there are, or SQL without its schema.
    """

    syntax: str
    reasoning: bool = True
    shots: int = 0
    prefilled: bool = False
    schema: str = ""

    def __post_init__(self) -> None:
        known = instructions.INSTRUCTIONS
        if self.syntax not in known:
            raise SettingsError(
                f"there is no prompt for the syntax {self.syntax!r}",
                hint=f"one of: {', '.join(known)}",
            )
        most = len(instructions.EXAMPLES[self.syntax])
        if not 0 <= self.shots <= most:
            raise SettingsError(f"{self.shots} examples are asked for", hint=f"ask for 0 to {most}")
        if self.syntax == "sql" and not self.schema.strip():
            raise SettingsError(
                "a prompt for SQL needs the schema of the database",
                hint="give its tables and columns as schema",
            )

    @classmethod
    def of(
        cls,
        engine: SearchEngine,
        *,
        reasoning: bool = True,
        shots: int = 0,
        prefilled: bool = False,
    ) -> Style:
        """A style for an engine's syntax, with its schema where it has one."""
        schema = engine.schema if isinstance(engine, TableEngine) else ""
        return cls(engine.syntax, reasoning, shots, prefilled, schema)

    @property
    def prefill(self) -> str:
        """What completions begin with although no model writes it; empty where nothing is."""
        return prefill_of(self.syntax, reasoning=self.reasoning) if self.prefilled else ""

    def prompt(self, need: Need) -> Prompt:
        """The prompt for a need, whose text is data: it stands in it as JSON."""
        turns = [Message("system", self.system)]
        for example in instructions.EXAMPLES[self.syntax][: self.shots]:
            turns.append(Message("user", told_need(example.need)))
            turns.append(Message("assistant", self._answer(example.thought, example.expression)))
        turns.append(Message("user", told_need(need)))
        return Prompt(tuple(turns), self.prefill, stops_of(self.prefill))

    @property
    def system(self) -> str:
        """The instruction: the syntax, whose the need is, and last, where a small model looks, the
        format."""
        task = instructions.INSTRUCTIONS[self.syntax].replace("{schema}", self.schema.strip())
        form = instructions.THOUGHTFUL if self.reasoning else instructions.DIRECT
        example = json.dumps({key_of(self.syntax): "…"}, ensure_ascii=False)
        rules = instructions.FOREIGN
        if self.syntax != "text":
            rules = f"{rules} {instructions.ESCAPES}"
        return "\n\n".join([task, rules, form.replace("{example}", example)])

    def _answer(self, thought: str, expression: str) -> str:
        answer = f"{ANSWER}{_json({key_of(self.syntax): expression})}{END_ANSWER}"
        return f"{THINK}{thought}{END_THINK}\n{answer}" if self.reasoning else answer


def told_need(need: Need) -> str:
    """A need as JSON: its PICO parts in their order where it has any, else its text.

    Nothing stands before it: a small model takes a label there for what it should write.
    """
    parts = {name: need.pico[key] for key, name in PARTS.items() if need.pico.get(key, "").strip()}
    return _json(parts or need.text)


def _json(value: str | dict[str, str]) -> str:
    return json.dumps(value, ensure_ascii=False)
