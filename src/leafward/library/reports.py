"""What a build, a plan and a check of the installation tell their user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leafward.corpus import Problem
from leafward.search.probe import ProbeReport
from leafward.settings import Strategy
from leafward.tree import Plan
from leafward.types import Usage


@dataclass(frozen=True, slots=True)
class PlanReport:
    """What a build will cost, told before anything is spent.

    ``money`` is in US dollars, None where prices are unknown; a build without a language model
    costs nothing. ``strategy`` is what ``auto`` resolves to.
    """

    documents: int
    strategy: Strategy
    model: str | None
    plan: Plan
    money: float | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a build did, with the plan beside what it used.

    ``seconds`` is wall time; ``up_to_date`` says that the index already held this very build.
    ``usage`` is that of the build alone, the probe's is in ``probe``; ``unprobed`` says why there
    is no probe although one was wanted.
    """

    documents: int
    nodes: int
    depth: int
    generation: int
    strategy: str
    seconds: float
    up_to_date: bool
    problems: tuple[Problem, ...]
    extractive: int
    repairs: Mapping[str, int]
    plan: PlanReport | None
    usage: Usage
    probe: ProbeReport | None
    unprobed: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; ``hint`` tells how to get what is missing."""

    name: str
    ok: bool
    detail: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What is installed, which models answer, and what is missing."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)
