"""The JSON that `write` prints; kept as :mod:`leafward.cli.shapes` is."""

from __future__ import annotations

from pydantic import Field

from leafward.cli.query_shapes import TableOut
from leafward.cli.shapes import Shape, UsageOut


class FlawOut(Shape):
    """Something wrong with what the model wrote."""

    kind: str = Field(
        description="cut-off, missing-tag, repeated-tag, wrong-order, bad-json, no-query, "
        "empty-query or syntax-error (of the expression, told by the engine)"
    )
    message: str
    column: int | None = Field(
        description="from 1: in the expression for a syntax error, in the answer for bad JSON"
    )


class CandidateOut(Shape):
    """An expression that was written and tried."""

    expression: str
    well_formed: bool
    problems: list[FlawOut]
    total: int | None = Field(description="null where it was not executed, or nothing is counted")


class WrittenHitOut(Shape):
    """A document that the expression finds."""

    doc_id: str
    title: str = Field(description="empty where the engine knows none")
    score: float = Field(description="what it means is the engine's own matter")


class WrittenOut(Shape):
    """`leafward write --json`."""

    engine: str
    syntax: str = Field(description="language of the expression: pubmed, text, trials or sql")
    reasoning: str
    expression: str = Field(description="empty where nothing could be read")
    well_formed: bool = Field(description="whether the model kept the format of its answer")
    problems: list[FlawOut]
    total: int | None = Field(
        description="all that it finds; null where the engine refused it, was not there or does "
        "not count"
    )
    hits: list[WrittenHitOut] = Field(description="the first K, with --run")
    usage: UsageOut
    candidates: list[CandidateOut] = Field(description="all that were written, in order")
    notes: list[str] = Field(description="what the engine ignored or did not find, in its words")
    table: TableOut | None = Field(description="the answer of a database, with --run; else null")
    failure: str = Field(description="why the engine gave no answer, by no fault of the expression")
