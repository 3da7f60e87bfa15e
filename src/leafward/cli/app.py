"""The application: one group, whose commands are loaded when they are needed."""

from __future__ import annotations

import typer

from leafward.cli.lazy import LazyGroup

_HELP = "Retrieval where relevance needs reasoning: a model walks a tree of your corpus."
_EPILOG = """Example:

\b
  leafward demo
  leafward index papers/ papers.leafward
  leafward search papers.leafward "why does my rollout diverge?"
"""

app = typer.Typer(
    name="leafward",
    cls=LazyGroup,
    help=_HELP,
    epilog=_EPILOG,
    no_args_is_help=True,
    # Neither may import rich: help must answer at once, and errors are ours to print.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"leafward {version('leafward')}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    """Retrieval where relevance needs reasoning: a model walks a tree of your corpus."""


def run() -> None:
    """Run the command line on ``sys.argv`` and exit."""
    app(prog_name="leafward")
