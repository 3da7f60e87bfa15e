"""``leafward search``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings, search_settings
from leafward.cli.flags import Common, Configured, JudgeName, Limits, Models, option

if TYPE_CHECKING:
    from leafward.types import SearchResult


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = (
        'leafward search papers.leafward "why does my rollout diverge after step 400?"\n'
        'leafward search papers.leafward "…" --model openai:gpt-5-mini --max-money 0.05'
    )
    command(app, "search", example=example)(search)


def search(
    index: Annotated[Path, typer.Argument(help="The index.", show_default=False)],
    query: Annotated[str, typer.Argument(help="What you want to know.", show_default=False)],
    models: Models,
    limits: Limits,
    configured: Configured,
    common: Common,
    k: Annotated[int, option("How many documents. [default: 10]", "-k", metavar="K")] = 10,
    method: Annotated[
        str,
        option("tree, bm25, dense, hybrid, tree++, rerank(of=bm25), … [default: tree]", "--method"),
    ] = "tree",
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
    """Find the documents that answer a question, each with its path and the reason.

    With several --where on one field any of its values will do; all fields must match.
    """
    from leafward.cli.convert import search_out
    from leafward.cli.output import print_shape
    from leafward.cli.where import parse_where
    from leafward.library import open as open_index

    settings = load_settings(configured, models=models, limits=limits)
    conditions = parse_where(where or [])
    with open_index(index, embedder=models.embedder, settings=settings) as opened:
        result = opened.search(
            query,
            k=k,
            method=method,
            judge=judge,
            exclude=exclude or (),
            where=conditions or None,
            relevance=relevance,
            search=search_settings(settings, limits),
        )
    if common.json:
        print_shape(search_out(result))
    else:
        print_result(result, quiet=common.quiet)


def print_result(result: SearchResult, *, quiet: bool) -> None:
    """Hits on stdout, then what it cost and why it ended."""
    from rich.text import Text

    from leafward.cli.hits import told_end, told_hit
    from leafward.cli.output import print_rich

    for rank, hit in enumerate(result.hits, start=1):
        print_rich(told_hit(rank, hit))
    if not result.hits:
        print("nothing found")
    if not quiet:
        print_rich(Text(told_end(result), style="dim"))
