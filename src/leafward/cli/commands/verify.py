"""``leafward verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leafward.cli.clean import one_line
from leafward.cli.command import command
from leafward.cli.exits import Exit
from leafward.cli.flags import Common


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "verify", example="leafward verify papers.leafward")(verify)


def verify(
    index: Annotated[Path, typer.Argument(help="The index.", show_default=False)],
    common: Common,
) -> None:
    """Check everything of an index against everything else, and say how to repair it.

    Nothing is changed. Exits with 6 where something is wrong.
    """
    from leafward.cli import shapes
    from leafward.cli.output import print_shape
    from leafward.library import verify as check

    report = check(index)
    if common.json:
        print_shape(shapes.VerifyOut.model_validate(report))
    elif report.ok:
        print(f"{index}: everything fits together")
    else:
        for problem in report.problems:
            print(f"{one_line(problem.what)}\n  repair: {one_line(problem.repair)}")
    if not report.ok:
        raise typer.Exit(Exit.INDEX)
