"""What query writing exchanges."""

from __future__ import annotations

from dataclasses import dataclass

from leafward.types.models import NO_USAGE, Usage


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An expression for an engine, with the reasoning that led to it and what it took.

    ``words`` is the form for engines that weigh a term by how often it stands in the query, where
    it differs; empty where ``expression`` serves them too.
    """

    expression: str
    reasoning: str = ""
    usage: Usage = NO_USAGE
    words: str = ""
