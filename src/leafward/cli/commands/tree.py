"""``leafward tree``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from leafward.cli.command import command
from leafward.cli.flags import Common, option

if TYPE_CHECKING:
    from leafward.cli.outline import Outline

_TEXT_DEPTH = 2


def register(app: typer.Typer) -> None:
    """Add the command."""
    example = "leafward tree papers.leafward\nleafward tree papers.leafward --format html > t.html"
    command(app, "tree", example=example)(tree)


def tree(
    index: Annotated[Path, typer.Argument(help="The index.", show_default=False)],
    common: Common,
    node: Annotated[int, typer.Argument(help="Number of a node; 0 is the root.")] = 0,
    format_: Annotated[
        Literal["text", "json", "html"],
        option("text, json or html (one page, no script). [default: text]", "--format", "-f"),
    ] = "text",
    depth: Annotated[
        int | None,
        option("Levels below the node. [default: 2 as text, else all]", "--depth", metavar="N"),
    ] = None,
) -> None:
    """Print the tree, or what lies below one of its nodes."""
    from leafward.cli.outline import outline
    from leafward.store import Store

    form = "json" if common.json else format_
    below = _TEXT_DEPTH if depth is None and form == "text" else depth
    with Store.open(index) as store:
        root = outline(store.snapshot(), node, below)
    _print(root, form, index.resolve().name)


def _print(root: Outline, form: str, title: str) -> None:
    if form == "json":
        from leafward.cli.output import print_shape
        from leafward.cli.shapes import NodeOut

        print_shape(NodeOut.model_validate(root))
    elif form == "html":
        from leafward.cli.tree_html import tree_html

        sys.stdout.writelines(tree_html(root, title=title))
    else:
        from leafward.cli.output import print_rich
        from leafward.cli.tree_text import tree_text

        print_rich(tree_text(root))
