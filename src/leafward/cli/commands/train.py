"""``leafward train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings
from leafward.cli.flags import Common, Configured, option


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = (
        "leafward train recipes/pico-smollm2.toml --dry-run\n"
        "leafward train recipes/pico-smollm2.toml\n"
        "leafward train recipes/pico-smollm2.toml --resume"
    )
    command(app, "train", example=example)(train)


def train(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a TOML file.", show_default=False)],
    configured: Configured,
    common: Common,
    resume: Annotated[
        bool, option("Go on with the run that is in the recipe's folder.", "--resume")
    ] = False,
    dry_run: Annotated[
        bool,
        option(
            "Tell sizes, tokens, steps and time, and train nothing; for verl write its files and "
            "print its command.",
            "--dry-run",
        ),
    ] = False,
    yes: Annotated[
        bool, option("Accept what models of the comparison may cost.", "--yes", "-y")
    ] = False,
) -> None:
    """Train a model to write expressions for an engine, and compare it with what it was before.

    Nobody supplies right expressions: the engine executes what the model writes, and the share of
    relevant documents among what it finds is the reward. At the end stand a checkpoint that serves
    as --model, curves, and a report. Interrupted or killed, --resume goes on where it stopped.
    """
    from leafward.cli.output import print_shape
    from leafward.cli.told_training import plan_out, told_plan, told_training, training_out
    from leafward.cli.training import run_recipe
    from leafward.library.training import plan_recipe
    from leafward.training import read_recipe

    settings = load_settings(configured)
    read = read_recipe(recipe)
    if dry_run:
        plan = plan_recipe(read, settings=settings)
        if common.json:
            print_shape(plan_out(plan))
        else:
            print("\n".join(told_plan(plan)))
        return
    report = run_recipe(read, settings, resume=resume, yes=yes, quiet=common.quiet)
    if common.json:
        print_shape(training_out(report))
    else:
        print("\n".join(told_training(report)))
