"""A tree in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.cli.clean import one_line
from leafward.cli.outline import Outline

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.tree import Tree as RichTree

_DESCRIPTION = 160


def tree_text(root: Outline) -> RichTree:
    """The outline as a rich tree."""
    from rich.tree import Tree as RichTree

    drawn = RichTree(_label(root))
    stack = [(root, drawn)]
    while stack:
        outline, branch = stack.pop()
        stack.extend((child, branch.add(_label(child))) for child in outline.children)
    return drawn


def _label(outline: Outline) -> RenderableType:
    from rich.text import Text

    name = one_line(outline.name) or "(no name)"
    if outline.kind == "leaf":
        label = Text(name)
        if outline.doc_id != outline.name:
            label.append(f"  {one_line(outline.doc_id or '')}", style="dim")
        return label
    label = Text(name, style="bold")
    more = f", {outline.hidden} children not shown" if outline.hidden else ""
    label.append(f"  #{outline.node}, {outline.leaves:,} documents{more}", style="not bold dim")
    if outline.description:
        label.append(f"\n{one_line(outline.description, _DESCRIPTION)}", style="not bold italic")
    return label
