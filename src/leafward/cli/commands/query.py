"""``leafward query``."""

from __future__ import annotations

from typing import Annotated

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings
from leafward.cli.flags import Common, Configured, Models, option


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = (
        "leafward query pubmed '(aspirin[ti] OR clopidogrel[ti]) AND stroke[mh]' -k 20\n"
        "leafward query boolean:papers.leafward '\"world model*\" AND rollout'\n"
        "leafward query sql:geography.sqlite 'SELECT city_name FROM city ORDER BY population DESC'"
    )
    command(app, "query", example=example)(query)


def query(
    engine: Annotated[
        str,
        typer.Argument(
            help="boolean:INDEX, bm25:INDEX, dense:INDEX, hybrid:INDEX, tree:INDEX, sql:FILE, "
            "pubmed or trials.",
            show_default=False,
        ),
    ],
    expression: Annotated[
        str, typer.Argument(help="What the engine is to execute.", show_default=False)
    ],
    models: Models,
    configured: Configured,
    common: Common,
    k: Annotated[int, option("Hits or rows to show. [default: 10]", "-k", "--k", metavar="K")] = 10,
) -> None:
    """Execute an expression on an engine, in the engine's own language, and count what it finds.

    A malformed expression is shown with the place where it goes wrong.
    """
    from leafward.cli.output import print_shape
    from leafward.cli.told_query import print_place, print_query, query_out
    from leafward.errors import QuerySyntaxError, SettingsError
    from leafward.library.engines.querying import query as execute

    if k < 1:
        raise SettingsError(f"-k {k}: there is nothing to show", hint="ask for at least one hit")
    settings = load_settings(configured, models=models)
    try:
        result = execute(
            engine,
            expression,
            k=k,
            titles=not common.json,
            embedder=models.embedder,
            settings=settings,
        )
    except QuerySyntaxError as error:
        if not common.json:
            print_place(expression, error)
        raise
    if common.json:
        print_shape(query_out(result))
    else:
        print_query(result, k=k, quiet=common.quiet)
