"""``leafward write``."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Literal

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings
from leafward.cli.flags import Common, Configured, Models, Spending, option

Method = Literal["zero-shot", "few-shot", "hyde", "need", "all-words", "three-words"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = (
        'leafward write "P: adults after a stroke; I: aspirin; C: placebo; O: recurrence" \\\n'
        "    --engine pubmed --model openai:gpt-5-mini --run\n"
        'leafward write "does vitamin D help against falls?" --engine boolean:papers.leafward \\\n'
        "    --model local:qwen2.5-coder-1.5b --candidates 4 --least 5 --most 500\n"
        'leafward write "which rivers cross texas?" --engine sql:geography.sqlite --run\n'
        'leafward write "I: aspirin; O: stroke" --engine pubmed --model runs/pico-smollm2/best'
    )
    command(app, "write", example=example)(write)


def write(
    need: Annotated[
        str,
        typer.Argument(
            help='What you are looking for: words, or a PICO question "P: …; I: …; C: …; O: …" '
            "(patient or problem, intervention, comparison, outcome; any may be missing).",
            show_default=False,
        ),
    ],
    engine: Annotated[
        str,
        option(
            "Who is to execute it: boolean:INDEX, bm25:INDEX, dense:INDEX, hybrid:INDEX, "
            "tree:INDEX, sql:FILE, pubmed or trials.",
            "--engine",
            metavar="ENGINE",
        ),
    ],
    models: Models,
    spending: Spending,
    configured: Configured,
    common: Common,
    run: Annotated[bool, option("Show the first hits too.", "--run")] = False,
    k: Annotated[int, option("Hits or rows to show. [default: 10]", "-k", "--k", metavar="K")] = 10,
    candidates: Annotated[
        int, option("Expressions to try; the best is kept. [default: 1]", metavar="N")
    ] = 1,
    least: Annotated[
        int, option("Fewest hits that are wanted. [default: 1]", "--least", metavar="N")
    ] = 1,
    most: Annotated[
        int, option("Most hits that are wanted. [default: 3000]", "--most", metavar="N")
    ] = 3000,
    method: Annotated[
        Method | None,
        option(
            "zero-shot, few-shot or hyde; without a model need, all-words or three-words. "
            "[default: few-shot; a trained checkpoint as it was trained]"
        ),
    ] = None,
    no_reasoning: Annotated[
        bool, option("Let the model answer without a thought before.", "--no-reasoning")
    ] = False,
    prefill: Annotated[
        bool,
        option("Begin the answer for the model; helps a small one that runs here.", "--prefill"),
    ] = False,
) -> None:
    """Write the expression that an engine executes for a need.

    The expression is tried on the engine, which counts what it finds; --run shows the first hits.
    With several candidates the one is kept whose number of hits is within --least and --most, or
    nearest to them.
    """
    from leafward.cli.exits import Exit
    from leafward.cli.output import print_shape
    from leafward.cli.told_writing import print_written, written_out
    from leafward.library.writing import QueryWriter, kept_answers
    from leafward.writing.candidates import Bounds

    settings = load_settings(configured, models=models, spending=spending)
    bounds = Bounds(least, most)
    with (
        kept_answers(settings) or nullcontext() as cache,
        QueryWriter(
            engine,
            method=method,
            reasoning=not no_reasoning,
            prefilled=prefill,
            embedder=models.embedder,
            settings=settings,
            cache=cache,
        ) as writer,
    ):
        written = writer.write(need, k=k if run else 0, candidates=candidates, bounds=bounds)
    if common.json:
        print_shape(written_out(written, run=run))
    else:
        print_written(written, k=k if run else 0, quiet=common.quiet)
    if run and written.failure:
        raise typer.Exit(Exit.MODEL)
