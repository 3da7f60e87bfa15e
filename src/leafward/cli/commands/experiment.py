"""``leafward experiment``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leafward.cli.command import command
from leafward.cli.flags import Common, option
from leafward.errors import SettingsError

Results = Annotated[
    Path, typer.Argument(help="Folder of an experiment's results.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Compare methods on a test collection: tables, figures, a report.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog="Example:\n\n\b\n  leafward experiment run biology.toml",
    )
    command(group, "run", example="leafward experiment run biology.toml --yes")(run)
    command(group, "compare", example="leafward experiment compare before.results after.results")(
        compare
    )
    app.add_typer(group, name="experiment")


def run(
    file: Annotated[Path, typer.Argument(help="The experiment, a TOML file.", show_default=False)],
    common: Common,
    yes: Annotated[bool, option("Accept the bill without being asked.", "--yes", "-y")] = False,
) -> None:
    """Run every method of an experiment and write runs, tables, figures and a report.

    Interrupted or killed, the same command goes on where it stopped; nothing is paid twice. Exits
    with 5 where a budget ended a method before all queries were asked; its report is there.
    """
    from leafward.cli.convert_evaluation import experiment_out
    from leafward.cli.exits import Exit
    from leafward.cli.experimenting import run_file
    from leafward.cli.output import print_shape
    from leafward.cli.told_evaluation import told_experiment

    report = run_file(file, yes=yes, quiet=common.quiet)
    if common.json:
        print_shape(experiment_out(report))
    else:
        print("\n".join(told_experiment(report)))
    if any(method.stopped for method in report.result.methods):
        raise typer.Exit(Exit.BUDGET)


def compare(
    a: Results,
    b: Results,
    common: Common,
    pair: Annotated[
        list[str] | None,
        option(
            "A method of A and one of B; may be repeated. [default: equal names]",
            metavar="NAME=NAME",
        ),
    ] = None,
) -> None:
    """Compare two experiments on one collection, method by method and query by query."""
    from leafward.cli.convert_evaluation import compare_out
    from leafward.cli.output import print_shape
    from leafward.cli.told_evaluation import told_comparisons
    from leafward.evaluate.experiments.comparing import compare_experiments

    found = compare_experiments(a, b, pairs=[_pair(each) for each in pair or []])
    if common.json:
        print_shape(compare_out(found))
    else:
        print("\n".join(told_comparisons(found)))


def _pair(text: str) -> tuple[str, str]:
    one, equals, other = text.partition("=")
    if not (one.strip() and equals and other.strip()):
        raise SettingsError(f"--pair {text}: this is no pair", hint="write --pair tree=tree-new")
    return one.strip(), other.strip()
