"""What query writing exchanges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from leafward.types.models import NO_USAGE, Usage

FlawKind = Literal[
    "cut-off",
    "missing-tag",
    "repeated-tag",
    "wrong-order",
    "bad-json",
    "no-query",
    "empty-query",
    "syntax-error",
]


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something wrong with a completion: a fault of the format, or what the engine refused.

    ``column`` counts from 1: in the expression for a syntax error, in the answer for bad JSON.
    """

    kind: FlawKind
    message: str
    column: int | None = None

    def __str__(self) -> str:
        place = "" if self.column is None else f", column {self.column}"
        return f"{self.kind}{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An expression for an engine, with the reasoning that led to it and what it took.

    ``words`` is the form for engines that weigh a term by how often it stands in the query, where
    it differs; empty where ``expression`` serves them too. ``well_formed`` is whether the
    completion kept its format (query-writing §2); where it did not, ``expression`` is what could be
    read all the same, for people, and never scored. ``problems`` names what is wrong, a syntax
    error of the expression included.
    """

    expression: str
    reasoning: str = ""
    usage: Usage = NO_USAGE
    words: str = ""
    well_formed: bool = True
    problems: tuple[Flaw, ...] = ()


@dataclass(frozen=True, slots=True)
class Need:
    """An information need of query writing, with what is known to meet it.

    ``pico`` has any of the parts P, I, C and O. ``relevant`` holds grades above 0 by document id.
    ``gold`` is an SQL query whose result is the right one; empty for searches.
    """

    id: str
    text: str
    pico: Mapping[str, str] = field(default_factory=dict)
    relevant: Mapping[str, int] = field(default_factory=dict)
    gold: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """A reward with its parts (query-writing §3); ``value`` is what the policy gets.

    ``answer`` is None where a wrong format left nothing to score. ``measure`` is the figure that
    the answer's part was read from (recall, reciprocal rank, nDCG, or 1 for an equal result), None
    where no result could be measured.
    """

    value: float
    format: float
    answer: float | None = None
    measure: float | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """One completion for one need, as an environment judged it.

    ``score`` is None where our own failure (``failure`` names it) left nothing to judge by. Beside
    the reward stands what shows a trick: ``hits`` counts all matches, ``at_cap`` is whether they
    reach the cut-off, ``found`` counts relevant documents among the first k, and ``precision`` is
    their share of these; all of them None where no expression was executed.
    """

    need_id: str
    completion: str
    rewrite: Rewrite
    score: Score | None
    hits: int | None = None
    at_cap: bool | None = None
    found: int | None = None
    precision: float | None = None
    failure: str = ""

    @property
    def reward(self) -> float | None:
        """The reward, None where there is none."""
        return None if self.score is None else self.score.value
