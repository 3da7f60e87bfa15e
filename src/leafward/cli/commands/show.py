"""``leafward show``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leafward.cli.clean import clean, one_line
from leafward.cli.command import command
from leafward.cli.flags import Common

if TYPE_CHECKING:
    from leafward.cli.shapes import DocumentOut
    from leafward.store import Snapshot

_LEVELS = 5


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "show", example="leafward show papers.leafward smith2024.pdf#3")(show)


def show(
    index: Annotated[Path, typer.Argument(help="The index.", show_default=False)],
    doc: Annotated[
        str, typer.Argument(metavar="DOC", help="Id of a document.", show_default=False)
    ],
    common: Common,
) -> None:
    """Print a document, its path from the root, and its summaries."""
    from leafward.cli.output import print_shape
    from leafward.store import Store

    with Store.open(index) as store:
        out = _read(store.snapshot(), doc)
    if common.json:
        print_shape(out)
    else:
        print("\n".join(_told(out)))


def _read(snapshot: Snapshot, doc_id: str) -> DocumentOut:
    from leafward.cli.shapes import DocumentOut
    from leafward.errors import CorpusError

    tree = snapshot.tree
    try:
        position = tree.position_of(doc_id)
    except KeyError:
        raise CorpusError(
            f"no document {doc_id!r} in this index",
            hint="`leafward search` and `leafward tree` print the ids that there are",
        ) from None
    document = snapshot.documents([position])[0]
    path = tree.path(tree.leaf_id(position))[:-1]
    return DocumentOut(
        doc_id=document.id,
        title=document.title,
        text=document.text,
        metadata={
            key: list(value) if isinstance(value, tuple) else value
            for key, value in document.metadata.items()
        },
        path=[tree.nodes[node].name for node in path],
        summaries=[snapshot.summaries([position], level)[0] for level in range(_LEVELS)],
    )


def _told(out: DocumentOut) -> list[str]:
    lines = [one_line(out.title or out.doc_id), f"  id: {one_line(out.doc_id)}"]
    lines.append(f"  path: {' › '.join(one_line(name) for name in out.path)}")
    lines += [f"  {one_line(key)}: {one_line(str(value))}" for key, value in out.metadata.items()]
    lines += [f"  summary {n}: {one_line(text)}" for n, text in enumerate(out.summaries, 1) if text]
    return [*lines, "", clean(out.text)]
