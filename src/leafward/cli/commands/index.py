"""``leafward index``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings
from leafward.cli.flags import Building, Common, Configured, Models, Spending, option

if TYPE_CHECKING:
    from leafward.cli.building import Job
    from leafward.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = (
        "leafward index papers/ papers.leafward\n"
        "leafward index papers/ papers.leafward --model openai:gpt-5-mini --budget-money 2"
    )
    command(app, "index", example=example)(index)


def index(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="A folder of .txt .md .html .pdf files, a BEIR folder, a .jsonl or a .csv file.",
            show_default=False,
        ),
    ],
    index: Annotated[Path, typer.Argument(help="Where the index goes.", show_default=False)],
    models: Models,
    building: Building,
    spending: Spending,
    configured: Configured,
    common: Common,
    force: Annotated[bool, option("Build even where nothing has changed.", "--force")] = False,
    probe: Annotated[
        bool, option("Measure the finished tree; on unless --no-probe.", "--probe/--no-probe")
    ] = True,
    yes: Annotated[bool, option("Accept the bill without being asked.", "--yes", "-y")] = False,
) -> None:
    """Build the tree of a corpus.

    Without --model it costs nothing. With a paid model the bill is printed first and you are
    asked; without a terminal, --yes or a --budget-… consents. Interrupted or killed, the same
    command goes on where it stopped; nothing is paid twice.
    """
    from leafward.cli.building import Job, build_index
    from leafward.cli.convert import index_out
    from leafward.cli.output import print_shape
    from leafward.cli.told import told_report

    settings = load_settings(configured, models=models, building=building, spending=spending)
    job = Job(source, index, settings, building, force=force, probe=probe, quiet=common.quiet)
    _ask(job, settings, yes=yes)
    report = build_index(job)
    if common.json:
        print_shape(index_out(report))
    else:
        print("\n".join(told_report(report, index, probe=probe)))


def _ask(job: Job, settings: Settings, *, yes: bool) -> None:
    """Show the bill where there may be one, and go on only where it is accepted."""
    from leafward.cli.consent import confirm, may_cost, told_plan, told_probe_bound
    from leafward.cli.output import note
    from leafward.library import plan

    if not may_cost(settings):
        return
    bill = plan(
        job.source,
        settings=settings,
        on_problem=job.reading.on_problem,
        chunk_tokens=job.reading.chunk_tokens,
    )
    lines = [f"{bill.documents:,} documents, strategy {bill.strategy}", *told_plan(bill)]
    if settings.model and job.probe:
        lines.append(told_probe_bound(settings))
    if job.index.exists():
        lines.append("answers that the index already holds are not paid again")
    for line in lines:
        note(line, quiet=job.quiet and yes)
    confirm(settings.budget, yes=yes)
