"""What could not be read, where it stands, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from leafward.errors import CorpusError
from leafward.types import Document

OnProblem = Literal["skip", "refuse"]
"""Leave out what cannot be read and report it, or raise a CorpusError at the first such thing."""

ProblemKind = Literal[
    "duplicate-id", "empty-text", "broken-line", "undecodable", "unreadable", "unsupported"
]

_HINTS: dict[ProblemKind, str] = {
    "duplicate-id": "give every row an id of its own",
    "empty-text": "give it a text or take it out",
    "broken-line": "correct this line",
    "undecodable": "save the file as UTF-8",
    "unreadable": "check that the file is complete and that you may read it",
    "unsupported": "convert it to text, Markdown, HTML or PDF, or take it out",
}
_SKIP = ', or read with on_problem="skip" to leave it out and have it reported'


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was left out; ``line`` counts from 1, None where it concerns a whole file."""

    path: Path
    line: int | None
    kind: ProblemKind
    message: str

    def __str__(self) -> str:
        path = str(self.path)
        shown = path if path.isprintable() else ascii(path)[1:-1]  # names may hold control codes
        line = "" if self.line is None else f":{self.line}"
        return f"{shown}{line}: {self.message} [{self.kind}]"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents in the order of their files and lines, and what was left out on the way."""

    documents: tuple[Document, ...]
    problems: tuple[Problem, ...] = ()


class Rejected(Exception):
    """Raised inside this package by what parses one row; readers turn it into a Problem."""

    def __init__(self, kind: ProblemKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class ProblemLog:
    """Collects problems, or raises the first one, as ``on_problem`` says."""

    def __init__(self, on_problem: OnProblem) -> None:
        self.on_problem: OnProblem = on_problem
        self._refuse = on_problem == "refuse"
        self._found: list[Problem] = []

    def report(
        self, path: Path, line: int | None, kind: ProblemKind, message: str, *, hint: str = ""
    ) -> None:
        """Note a problem; with "refuse" raise it as a CorpusError, its hint naming the fix."""
        if self._refuse:
            raise CorpusError(message, path=path, line=line, hint=(hint or _HINTS[kind]) + _SKIP)
        self._found.append(Problem(path, line, kind, message))

    def reject(self, path: Path, line: int | None, rejected: Rejected) -> None:
        """Note what a parser of rows turned down."""
        self.report(path, line, rejected.kind, rejected.message)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Take over what another log has collected."""
        self._found.extend(problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._found)


class Ids:
    """Remembers where each id was first used, so that the second use can name the first."""

    def __init__(self, log: ProblemLog) -> None:
        self._log = log
        self._lines: dict[str, int | None] = {}

    def claim(self, key: str, path: Path, line: int | None) -> bool:
        """True for a new id; a used one is reported and turned down."""
        if key not in self._lines:
            self._lines[key] = line
            return True
        first = self._lines[key]
        where = "" if first is None else f", first in line {first}"
        self._log.report(path, line, "duplicate-id", f"id {quoted(key)} is used again{where}")
        return False


def quoted(value: object, limit: int = 60) -> str:
    """A value as it can stand in a one-line message: escaped, and cut to ``limit`` characters."""
    shown = ascii(value) if not isinstance(value, str) or not value.isprintable() else repr(value)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
