"""Options that several commands share, as dataclasses that :func:`leafward.cli.command` unfolds.

Only typer and the standard library are imported here: this runs before any ``--help``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

Strategy = Literal["auto", "top-down", "bottom-up", "hybrid", "model-free"]
OnProblem = Literal["skip", "refuse"]
JudgeName = Literal["auto", "listwise", "letters", "embedding", "fused"]


def option(help_text: str, *names: str, metavar: str | None = None) -> typer.models.OptionInfo:
    """An option whose default stands in the dataclass, and which says so only where it matters."""
    info: typer.models.OptionInfo = typer.Option(
        *names, help=help_text, metavar=metavar, show_default=False
    )
    return info


@dataclass(frozen=True, slots=True)
class Common:
    """What every command takes."""

    json: Annotated[bool, option("Print JSON (shapes: docs/json.md).", "--json")] = False
    quiet: Annotated[bool, option("No progress and no notes.", "--quiet", "-q")] = False
    debug: Annotated[bool, option("Show the traceback of an error.", "--debug")] = False


@dataclass(frozen=True, slots=True)
class Configured:
    """Where settings come from."""

    config: Annotated[
        Path | None,
        option("Settings file. [default: leafward.toml, if there is one]", metavar="FILE"),
    ] = None
    offline: Annotated[bool, option("Never fetch model packages.", "--offline")] = False


@dataclass(frozen=True, slots=True)
class Models:
    """Which models do the work, and where they are."""

    model: Annotated[
        str | None,
        option(
            "Chat model: openai:NAME, gemini:NAME, …, local:NAME, or a checkpoint's folder.",
            "--model",
            "-m",
        ),
    ] = None
    embedder: Annotated[
        str | None, option("Embedding model: minilm, lexical or openai:NAME.", "--embedder", "-e")
    ] = None
    base_url: Annotated[
        str | None, option("Server of the chat model, OpenAI-compatible.", metavar="URL")
    ] = None
    price_prompt: Annotated[
        float | None, option("Dollars per million prompt tokens.", metavar="USD")
    ] = None
    price_completion: Annotated[
        float | None, option("Dollars per million completion tokens.", metavar="USD")
    ] = None


@dataclass(frozen=True, slots=True)
class Building:
    """How documents are read and the tree is built."""

    strategy: Annotated[
        Strategy | None,
        option(
            "auto, top-down, bottom-up, hybrid or model-free. [default: auto]", "--strategy", "-s"
        ),
    ] = None
    branching: Annotated[
        int | None, option("Most children of a node, 4 to 32. [default: 16]", metavar="M")
    ] = None
    chunk_tokens: Annotated[
        int, option("Passages of longer files, in tokens. [default: 300]", metavar="N")
    ] = 300
    on_problem: Annotated[
        OnProblem, option("skip or refuse what cannot be read. [default: skip]")
    ] = "skip"
    seed: Annotated[
        int | None, option("Seed of every random choice. [default: 0]", metavar="N")
    ] = None


@dataclass(frozen=True, slots=True)
class Spending:
    """What the whole command may spend; checked before each call."""

    budget_calls: Annotated[int | None, option("Most model calls.", metavar="N")] = None
    budget_tokens: Annotated[int | None, option("Most tokens.", metavar="N")] = None
    budget_money: Annotated[float | None, option("Most dollars.", metavar="USD")] = None


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search stops and returns the best so far."""

    max_calls: Annotated[int | None, option("Most model calls.", metavar="N")] = None
    max_tokens: Annotated[int | None, option("Most tokens.", metavar="N")] = None
    max_money: Annotated[float | None, option("Most dollars.", metavar="USD")] = None
    deadline: Annotated[float | None, option("Most seconds.", metavar="SECONDS")] = None
    beam: Annotated[int | None, option("B: expansions in flight. [default: 2]", metavar="B")] = None
    iterations: Annotated[
        int | None, option("N: at most N·B expansions in all. [default: 20]", metavar="N")
    ] = None
