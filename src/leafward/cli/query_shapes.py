"""The JSON that `query` prints; kept as :mod:`leafward.cli.shapes` is."""

from __future__ import annotations

from pydantic import Field

from leafward.cli.shapes import Shape


class TableOut(Shape):
    """What a database answers."""

    columns: list[str]
    rows: list[list[str | int | float | None]] = Field(
        description="in the order of the answer; blobs as hexadecimal text"
    )
    truncated: bool = Field(description="true where a limit on rows or bytes cut the rest off")


class QueryOut(Shape):
    """`leafward query --json`."""

    engine: str = Field(description="name that opens the engine again")
    syntax: str = Field(description="language of its expressions: pubmed, text, trials or sql")
    total: int | None = Field(description="all that was found; null where the engine does not say")
    ids: list[str] = Field(description="the first K, in the order of the engine")
    scores: list[float] = Field(description="of the ids; what they mean is the engine's own matter")
    notes: list[str] = Field(description="what the engine ignored or did not find, in its words")
    degraded: bool = Field(description="true where a call of a tree search was lost for good")
    table: TableOut | None = Field(description="the answer of a database; null for other engines")
