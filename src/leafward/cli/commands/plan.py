"""``leafward plan``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings
from leafward.cli.flags import Building, Common, Configured, Models


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "plan", example="leafward plan papers/ --model openai:gpt-5-mini")(plan)


def plan(
    source: Annotated[
        Path, typer.Argument(metavar="PATH", help="What to index.", show_default=False)
    ],
    models: Models,
    building: Building,
    configured: Configured,
    common: Common,
) -> None:
    """Tell calls, tokens and money of a build before anything is spent.

    Nothing is called and nothing is written.
    """
    from leafward.cli.consent import told_plan
    from leafward.cli.convert import plan_report_out
    from leafward.cli.output import print_shape
    from leafward.cli.told import told_problems
    from leafward.library import plan as estimate

    report = estimate(
        source,
        settings=load_settings(configured, models=models, building=building),
        on_problem=building.on_problem,
        chunk_tokens=building.chunk_tokens,
    )
    if common.json:
        print_shape(plan_report_out(report))
        return
    print("\n".join(told_problems(report.problems)), end="\n" if report.problems else "")
    print(f"{report.documents:,} documents, strategy {report.strategy}")
    if not report.plan.calls:
        print("no model is called: this build costs nothing")
        return
    print("\n".join(told_plan(report)))
