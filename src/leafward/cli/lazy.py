"""A group whose commands are imported when they are run: help must not wait for any of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

COMMANDS = {
    "demo": "Index Python's language reference and answer questions on it, without a key.",
    "index": "Build the tree of a corpus.",
    "search": "Find the documents that answer a question, with paths and reasons.",
    "query": "Execute an expression on an engine: PubMed, Boolean, SQL, BM25, tree, …",
    "write": "Write the expression for a need that an engine executes, and count what it finds.",
    "train": "Train a model to write expressions, by what an engine finds for them.",
    "explain": "Say why a search found a document, or where in the tree it was lost.",
    "tree": "Print the tree, or what lies below one of its nodes.",
    "show": "Print a document, its path from the root, and its summaries.",
    "plan": "Tell calls, tokens and money of a build before anything is spent.",
    "eval": "Measure a method on a test collection.",
    "experiment": "Compare methods on a test collection: tables, figures, a report.",
    "verify": "Check everything of an index, and say how to repair it.",
    "doctor": "Say what is installed, which models answer, and what is missing.",
    "models": "Models that install from the package index, without key and hub.",
    "cache": "Model answers that an index keeps, so that nothing is paid twice.",
}
"""Commands in the order in which a newcomer meets them, with what the first help says of them."""


class LazyGroup(TyperGroup):
    """Knows its commands by name and by one line; each module registers the command itself."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, imported now; None for an unknown name."""
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def load(name: str) -> Any:
    """Import a command's module and make its command."""
    module = import_module(f"leafward.cli.commands.{name}")
    part = typer.Typer(add_completion=False, rich_markup_mode=None)
    module.register(part)
    made = typer.main.get_command(part)
    # A module that adds a group of its own leaves it as the only member of the outer one.
    found = made.commands.get(name, made) if isinstance(made, TyperGroup) else made
    found.name = name
    return found
