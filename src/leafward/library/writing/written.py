"""What a query writer gives."""

from __future__ import annotations

from dataclasses import dataclass

from leafward.types import Flaw, Hit, Rewrite, Usage
from leafward.types.tables import Table
from leafward.writing.candidates import Candidate


@dataclass(frozen=True, slots=True)
class Written:
    """An expression for a need, with what the engine says of it.

    ``well_formed`` and ``problems`` as in :class:`leafward.types.Rewrite`. ``total`` counts what
    the expression finds, None where the engine does not count, refused it, or was not there
    (``failure`` says why). ``hits`` are the first of them with their ``titles`` where the engine
    knows any; ``notes`` are what it ignored or read differently; ``table`` is the whole answer of a
    database, whose ``total`` counts rows. ``candidates`` are all expressions
    that were written, in order.
    """

    engine: str
    syntax: str
    reasoning: str
    expression: str
    well_formed: bool
    problems: tuple[Flaw, ...]
    total: int | None
    hits: tuple[Hit, ...]
    titles: tuple[str, ...]
    usage: Usage
    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...] = ()
    table: Table | None = None
    failure: str = ""

    @property
    def rewrite(self) -> Rewrite:
        """The expression as a rewrite."""
        return Rewrite(
            self.expression,
            self.reasoning,
            self.usage,
            well_formed=self.well_formed,
            problems=self.problems,
        )
