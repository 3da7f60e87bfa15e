"""``leafward cache``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leafward.cli.clean import one_line
from leafward.cli.command import command
from leafward.cli.flags import Common, option

Index = Annotated[Path, typer.Argument(help="The index.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Model answers that an index keeps, so that nothing is paid twice.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog="Example:\n\n\b\n  leafward cache stats papers.leafward",
    )
    command(group, "stats", example="leafward cache stats papers.leafward")(stats)
    command(group, "clear", example="leafward cache clear papers.leafward --older-than 90 --yes")(
        clear
    )
    app.add_typer(group, name="cache")


def stats(index: Index, common: Common) -> None:
    """Count the stored answers, and what they cost when they were paid."""
    from leafward.cli import shapes
    from leafward.cli.output import print_shape, told_usage
    from leafward.store import Store

    with Store.open(index) as store:
        found = store.calls.stats()
    if common.json:
        calls = [shapes.CallsOut.model_validate(each) for each in found]
        print_shape(shapes.CacheOut(answers=sum(each.answers for each in calls), calls=calls))
        return
    for each in found:
        usage = told_usage(each.usage)
        print(f"{one_line(each.model)}  {one_line(each.kind)}: {each.answers:,} answers · {usage}")
    print(f"{sum(each.answers for each in found):,} answers in all")


def clear(
    index: Index,
    common: Common,
    model: Annotated[str | None, option("Only answers of this model.", "--model", "-m")] = None,
    older_than: Annotated[
        float | None, option("Only answers older than this many days.", metavar="DAYS")
    ] = None,
    yes: Annotated[bool, option("Do not ask.", "--yes", "-y")] = False,
) -> None:
    """Forget stored answers; what needs them again pays for them again."""
    from datetime import timedelta

    from leafward.cli.consent import confirm_loss
    from leafward.cli.output import print_shape
    from leafward.cli.shapes import ClearedOut
    from leafward.store import Store

    with Store.open(index) as store:
        confirm_loss(f"Forget model answers of {index}?", yes=yes)
        age = None if older_than is None else timedelta(days=older_than)
        cleared = store.calls.clear(model=model, older_than=age)
    if common.json:
        print_shape(ClearedOut(cleared=cleared))
    else:
        print(f"forgot {cleared:,} answers")
