"""``leafward explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings, search_settings
from leafward.cli.flags import Common, Configured, JudgeName, Limits, Models, option


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = (
        'leafward explain papers.leafward "why does my rollout diverge?" --gold smith2024.pdf#3'
    )
    command(app, "explain", example=example)(explain)


def explain(
    index: Annotated[Path, typer.Argument(help="The index.", show_default=False)],
    query: Annotated[str, typer.Argument(help="What was searched for.", show_default=False)],
    gold: Annotated[str, option("Document that should have been found.", "--gold", metavar="DOC")],
    models: Models,
    limits: Limits,
    configured: Configured,
    common: Common,
    k: Annotated[int, option("So many count as found. [default: 10]", "-k", metavar="K")] = 10,
    judge: Annotated[
        JudgeName, option("auto, listwise, letters, embedding or fused. [default: auto]", "--judge")
    ] = "auto",
    exclude: Annotated[
        list[str] | None, option("Never show this document; may be repeated.", metavar="ID")
    ] = None,
    where: Annotated[
        list[str] | None,
        option("Only documents with this metadata; may be repeated.", metavar="KEY=VALUE"),
    ] = None,
    relevance: Annotated[
        str, option("What counts as relevant here, in words.", metavar="TEXT")
    ] = "",
) -> None:
    """Say why a search found a document, or where in the tree it was lost, and to what.

    With the options of a search that was made before, that search is looked at again and nothing
    is paid. Otherwise it is made.
    """
    from leafward.cli.convert_evaluation import explain_out
    from leafward.cli.output import print_shape
    from leafward.cli.told_path import told_explanation
    from leafward.cli.where import parse_where
    from leafward.library import open as open_index
    from leafward.library.explaining import explain as explain_document

    settings = load_settings(configured, models=models, limits=limits)
    with open_index(index, embedder=models.embedder, settings=settings) as opened:
        found = explain_document(
            opened,
            query,
            gold,
            k=k,
            judge=judge,
            exclude=exclude or (),
            where=parse_where(where or []) or None,
            relevance=relevance,
            search=search_settings(settings, limits),
        )
    if common.json:
        print_shape(explain_out(found))
    else:
        print("\n".join(told_explanation(found)))
