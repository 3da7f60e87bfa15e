"""One experiment on the command line: the bill, bars, Ctrl-C."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.cli.consent import confirm_calls, may_cost
from leafward.cli.interrupts import graceful
from leafward.cli.progress import display
from leafward.errors import BudgetExceeded, Interrupted

if TYPE_CHECKING:
    from leafward.evaluate.experiments.spec import ExperimentSpec
    from leafward.library.experimenting import ExperimentReport
    from leafward.settings import Settings
    from leafward.types import Collection


def run_file(file: Path, *, yes: bool, quiet: bool) -> ExperimentReport:
    """Run an experiment file, showing progress; a first Ctrl-C ends in :class:`Interrupted`.

    Raises:
        LeafwardError: what :func:`leafward.run_experiment` raises.
    """
    from leafward.evaluate.experiments.spec import read_experiment
    from leafward.library.experimenting import arun_experiment, experiment_settings
    from leafward.models import Stop, counting

    spec = read_experiment(file)
    _ask(spec, experiment_settings(spec), yes=yes, quiet=quiet)
    stop = Stop()
    with (
        counting() as used,
        display(lambda: used.total, quiet=quiet) as shown,
        graceful(stop.set, restore=shown.close),
    ):
        try:
            return asyncio.run(arun_experiment(spec, progress=shown, stop=stop))
        except (Interrupted, BudgetExceeded) as error:
            error.hint = "finished queries and paid answers are kept: the same command goes on"
            raise


def _ask(spec: ExperimentSpec, settings: Settings, *, yes: bool, quiet: bool) -> None:
    """Tell what it may cost, and go on only where that is accepted."""
    from leafward.evaluate import read_collection
    from leafward.evaluate.limiting import limited
    from leafward.library.experimenting import most_calls

    payers = [
        chosen
        for model in dict.fromkeys(m.model or settings.model for m in spec.methods.values())
        if may_cost(chosen := settings.model_copy(update={"model": model}))
    ]
    if not payers:
        return
    building = not spec.index_path.exists()
    collection = read_collection(
        spec.data, split=spec.split, variant=spec.variant, documents=building
    )
    calls = most_calls(spec, settings, len(limited(collection, spec.limit).queries))
    if building and may_cost(settings):
        calls += _build_calls(settings, collection)
    confirm_calls(payers[0], calls, yes=yes, quiet=quiet)


def _build_calls(settings: Settings, collection: Collection) -> int:
    """Calls that building the index is expected to take."""
    from leafward.library import plan

    return plan(collection.documents, settings=settings).plan.calls
