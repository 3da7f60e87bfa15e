"""What an engine found, and where an expression is wrong, as a person reads it."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from leafward.cli.clean import clean, one_line
from leafward.cli.query_shapes import QueryOut, TableOut

if TYPE_CHECKING:
    from leafward.errors import QuerySyntaxError
    from leafward.library.engines.querying import QueryResult
    from leafward.types.tables import Cell, Table

_WIDTH = 76
"""Characters of the expression that are shown around the place of an error."""


def query_out(result: QueryResult) -> QueryOut:
    """The result as it is printed with --json."""
    ranking, table = result.ranking, result.table
    return QueryOut(
        engine=result.engine,
        syntax=result.syntax,
        total=ranking.total,
        ids=[hit.doc_id for hit in ranking.hits],
        scores=[hit.score for hit in ranking.hits],
        notes=list(ranking.notes),
        degraded=ranking.degraded,
        table=None if table is None else table_out(table),
    )


def print_query(result: QueryResult, *, k: int, quiet: bool) -> None:
    """The count, then the first hits or rows; notes go to stderr."""
    from leafward.cli.output import note

    if result.table is not None:
        print_table(result.table, k)
    else:
        total = result.ranking.total
        print("found: unknown how many" if total is None else f"found: {total:,}")
        width = max((len(hit.doc_id) for hit in result.ranking.hits), default=0)
        for hit, title in zip(result.ranking.hits, result.titles, strict=True):
            print(f"  {one_line(hit.doc_id):<{width}}  {one_line(title, 100)}".rstrip())
    for said in result.ranking.notes:
        note(one_line(said), quiet=quiet)


def print_place(expression: str, error: QuerySyntaxError) -> None:
    """The line of the expression that an error speaks of, with a caret below its column."""
    if error.column is None:
        return
    at = min(error.column - 1, len(expression))
    start = expression.rfind("\n", 0, at) + 1
    end = expression.find("\n", at)
    line = expression[start : len(expression) if end < 0 else end]
    first = max(0, min(at - start - _WIDTH // 2, len(line) - _WIDTH))
    shown = line[first : first + _WIDTH]
    # One sign for one: what cannot be printed must not move the caret.
    print("  " + "".join(clean(sign).replace("\t", " ") or "·" for sign in shown), file=sys.stderr)
    print("  " + " " * (at - start - first) + "^", file=sys.stderr)


def print_table(table: Table, k: int) -> None:
    """How many rows there are, and the first ``k`` of them."""
    from rich.table import Table as Grid
    from rich.text import Text

    from leafward.cli.output import print_rich

    more = "or more, " if table.truncated else ""
    told = f"{len(table.rows):,} {more}rows" if len(table.rows) != 1 or more else "1 row"
    print(f"found: {told}")
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in table.columns:
        grid.add_column(Text(one_line(column)))
    for row in table.rows[:k]:
        grid.add_row(*(Text(one_line(_shown(cell), 200)) for cell in row))
    print_rich(grid)


def _shown(cell: Cell) -> str:
    if cell is None:
        return "NULL"
    return cell.hex() if isinstance(cell, bytes) else str(cell)


def table_out(table: Table) -> TableOut:
    """A table as it is printed with --json."""
    rows = [[_plain(cell) for cell in row] for row in table.rows]
    return TableOut(columns=list(table.columns), rows=rows, truncated=table.truncated)


def _plain(cell: Cell) -> str | int | float | None:
    """A cell as JSON holds it: there are no blobs, and no infinite numbers."""
    if isinstance(cell, bytes):
        return cell.hex()
    if isinstance(cell, float) and not math.isfinite(cell):
        return str(cell)
    return cell
