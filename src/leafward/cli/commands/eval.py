"""``leafward eval``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings
from leafward.cli.flags import Common, Configured, Models, Spending, option


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = (
        "leafward eval data/scifact --method hybrid --index scifact.leafward\n"
        'leafward eval data/scifact --method "tree(beam=4)" --baseline bm25 --limit 50 --json'
    )
    command(app, "eval", example=example)(evaluate)


def evaluate(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A BEIR or BRIGHT folder, irds:NAME, or a JSONL file of queries.",
            show_default=False,
        ),
    ],
    models: Models,
    spending: Spending,
    configured: Configured,
    common: Common,
    method: Annotated[
        str,
        option("tree, bm25, hybrid, tree++, rerank(of=bm25), … [default: tree]", "--method"),
    ] = "tree",
    index: Annotated[
        Path | None,
        option("The index of its documents. [default: NAME.leafward here, built without a model]"),
    ] = None,
    split: Annotated[str, option("Split; of BRIGHT the task. [default: test]")] = "test",
    variant: Annotated[str, option("Queries or documents of BRIGHT, such as gpt4_reason.")] = "",
    limit: Annotated[
        int | None, option("Draw so many queries; always the same ones.", metavar="N")
    ] = None,
    k: Annotated[int, option("Documents asked for. [default: 1000]", "-k", metavar="K")] = 1000,
    measure: Annotated[
        list[str] | None,
        option("Measure by its ir-measures name; may be repeated.", metavar="NAME"),
    ] = None,
    baseline: Annotated[
        str | None, option("Method to compare with, query by query.", metavar="METHOD")
    ] = None,
    run_out: Annotated[Path | None, option("Write the TREC run here.", metavar="FILE")] = None,
    journal: Annotated[
        Path | None, option("Keep finished queries here, to go on from.", metavar="FILE")
    ] = None,
    concurrency: Annotated[int, option("Queries in flight. [default: 8]", metavar="N")] = 8,
    seed: Annotated[
        int | None, option("Seed of search and intervals. [default: 0]", metavar="N")
    ] = None,
    yes: Annotated[bool, option("Accept the bill without being asked.", "--yes", "-y")] = False,
) -> None:
    """Measure a method on a test collection, with intervals and what it cost.

    Documents that a query excludes are left out, as BRIGHT does. Interrupted or killed, the same
    command pays for nothing twice; with --journal it keeps finished queries as well.
    """
    from leafward.cli.convert_evaluation import eval_out
    from leafward.cli.evaluating import EvalJob, run_eval
    from leafward.cli.output import print_shape
    from leafward.cli.told_evaluation import told_evaluation

    job = EvalJob(
        data=data,
        method=method,
        index=index,
        settings=load_settings(configured, models=models, spending=spending),
        embedder=models.embedder,
        split=split,
        variant=variant,
        limit=limit,
        k=k,
        measures=tuple(measure or ()),
        baseline=baseline,
        journal=journal,
        concurrency=concurrency,
        seed=seed,
        yes=yes,
        quiet=common.quiet,
    )
    found = run_eval(job)
    if run_out is not None:
        from leafward.evaluate import write_run

        write_run(run_out, found.rankings, tag=found.summary.method)
    if common.json:
        print_shape(eval_out(found))
    else:
        print("\n".join(told_evaluation(found)))
