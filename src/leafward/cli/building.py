"""One build on the command line: with bars, with Ctrl-C, with what it costs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.cli.flags import Building
from leafward.cli.interrupts import graceful
from leafward.cli.progress import Display, display
from leafward.errors import BudgetExceeded, Interrupted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leafward.library import IndexReport
    from leafward.models import Meter, Stop
    from leafward.settings import Settings
    from leafward.types import Document


@dataclass(frozen=True, slots=True)
class Job:
    """What to build, where, and how."""

    source: Path | Sequence[Document]
    index: Path
    settings: Settings
    reading: Building
    force: bool = False
    probe: bool = True
    quiet: bool = False


def build_index(job: Job) -> IndexReport:
    """Build, showing progress; a first Ctrl-C ends in :class:`Interrupted`.

    Raises:
        LeafwardError: the build's own errors, where it can be resumed with a hint that says how.
    """
    from leafward.models import Meter, Stop

    meter, stop = Meter(), Stop()
    with (
        display(lambda: meter.total, quiet=job.quiet) as shown,
        graceful(stop.set, restore=shown.close),
    ):
        try:
            return asyncio.run(_build(job, shown, meter, stop))
        except (Interrupted, BudgetExceeded) as error:
            error.hint = _resume(error)
            raise


async def _build(job: Job, shown: Display, meter: Meter, stop: Stop) -> IndexReport:
    from leafward.library import abuild

    index = await abuild(
        job.source,
        job.index,
        settings=job.settings,
        on_problem=job.reading.on_problem,
        chunk_tokens=job.reading.chunk_tokens,
        force=job.force,
        probe=job.probe,
        progress=shown,
        stop=stop,
        meter=meter,
    )
    async with index:
        assert index.report is not None  # abuild always leaves one
        return index.report


def _resume(error: Interrupted | BudgetExceeded) -> str:
    again = "what was paid is saved: the same command goes on from here"
    return f"{again}, with a larger budget" if isinstance(error, BudgetExceeded) else again
