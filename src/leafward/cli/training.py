"""One training run on the command line: the bill, bars, Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.cli.consent import confirm_calls
from leafward.cli.interrupts import graceful
from leafward.cli.progress import display

if TYPE_CHECKING:
    from leafward.library.training import TrainingReport
    from leafward.settings import Settings
    from leafward.training import Recipe


def run_recipe(
    recipe: Recipe, settings: Settings, *, resume: bool, yes: bool, quiet: bool
) -> TrainingReport:
    """Train a recipe, showing progress; a first Ctrl-C ends in :class:`Interrupted`.

    Raises:
        LeafwardError: what :func:`leafward.library.training.train_recipe` raises.
    """
    from leafward.library.training import train_recipe
    from leafward.models import Stop, counting

    _ask(recipe, settings, yes=yes, quiet=quiet)
    stop = Stop()
    with (
        counting() as used,
        display(lambda: used.total, quiet=quiet) as shown,
        graceful(stop.set, restore=shown.close),
    ):
        return train_recipe(recipe, settings=settings, resume=resume, progress=shown, stop=stop)


def _ask(recipe: Recipe, settings: Settings, *, yes: bool, quiet: bool) -> None:
    """Tell what models of the comparison may cost, and go on only where that is accepted."""
    from leafward.cli.consent import may_cost

    for other in recipe.compare.others.values():
        payer = settings.model_copy(update={"model": other.model})
        if may_cost(payer) and recipe.compare.limit:
            confirm_calls(payer, recipe.compare.limit, yes=yes, quiet=quiet)
