"""One evaluation on the command line: the index, the bill, bars, Ctrl-C."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.cli.consent import confirm_calls
from leafward.cli.flags import Building
from leafward.cli.interrupts import graceful
from leafward.cli.progress import Display, display
from leafward.errors import BudgetExceeded, Interrupted

if TYPE_CHECKING:
    from leafward.library import Index
    from leafward.library.evaluating import Evaluation
    from leafward.models import Stop
    from leafward.settings import SearchSettings, Settings
    from leafward.types import Collection


@dataclass(frozen=True, slots=True)
class EvalJob:
    """What to evaluate, and how."""

    data: str
    method: str
    index: Path | None
    settings: Settings
    embedder: str | None
    split: str
    variant: str
    limit: int | None
    k: int
    measures: tuple[str, ...]
    baseline: str | None
    journal: Path | None
    concurrency: int
    seed: int | None
    yes: bool
    quiet: bool

    @property
    def search(self) -> SearchSettings:
        """Settings of judges and trees, with the command's seed."""
        search = self.settings.search
        return search if self.seed is None else search.model_copy(update={"seed": self.seed})


def run_eval(job: EvalJob) -> Evaluation:
    """Evaluate, showing progress; a first Ctrl-C ends in :class:`Interrupted`.

    Raises:
        LeafwardError: what :func:`leafward.evaluate_method` raises, with a hint on how to go on.
    """
    from leafward.evaluate import Measures, read_collection
    from leafward.evaluate.limiting import limited
    from leafward.evaluate.method import parse_method
    from leafward.library.costing import calls_per_query
    from leafward.models import Stop, counting

    methods = [parse_method(each) for each in (job.method, job.baseline) if each is not None]
    Measures(job.measures or ["nDCG@10"])  # wrong names are noticed before anything is spent
    collection = read_collection(job.data, split=job.split, variant=job.variant, documents=False)
    where = job.index or Path(f"{_file_name(collection.name)}.leafward")
    if job.index is None and not where.exists():
        _build(job, where)
    collection = limited(collection, job.limit)
    calls = sum(calls_per_query(each, job.search, job.settings.model) for each in methods)
    confirm_calls(job.settings, calls * len(collection.queries), yes=job.yes, quiet=job.quiet)
    stop = Stop()
    with (
        counting() as used,
        display(lambda: used.total, quiet=job.quiet) as shown,
        graceful(stop.set, restore=shown.close),
    ):
        try:
            return asyncio.run(_evaluate(job, collection, where, shown, stop))
        except (Interrupted, BudgetExceeded) as error:
            error.hint = _resume(job, error)
            raise


async def _evaluate(
    job: EvalJob, collection: Collection, where: Path, shown: Display, stop: Stop
) -> Evaluation:
    from leafward.evaluate import DEFAULT_MEASURES
    from leafward.library import open as open_index
    from leafward.library.evaluating import aevaluate_method

    index: Index = open_index(where, embedder=job.embedder, settings=job.settings, stop=stop)
    async with index:
        return await aevaluate_method(
            index,
            collection,
            job.method,
            k=job.k,
            measures=job.measures or DEFAULT_MEASURES,
            baseline=job.baseline,
            search=job.search,
            concurrency=job.concurrency,
            journal=job.journal,
            progress=shown,
            stop=stop,
        )


def _build(job: EvalJob, where: Path) -> None:
    """Index the collection without a language model, which costs nothing."""
    from leafward.cli.building import Job, build_index
    from leafward.cli.output import note
    from leafward.evaluate import read_collection

    collection = read_collection(job.data, split=job.split, variant=job.variant)
    note(f"indexing {collection.name} into {where}, without a language model", quiet=job.quiet)
    build = job.settings.build.model_copy(update={"strategy": "model-free", "candidates": ()})
    settings = job.settings.model_copy(update={"model": None, "build": build})
    build_index(
        Job(collection.documents, where, settings, Building(), probe=False, quiet=job.quiet)
    )


def _file_name(collection: str) -> str:
    """A collection's name as that of a file in this folder."""
    return re.sub(r"[^\w.-]+", "-", collection).strip(".-") or "collection"


def _resume(job: EvalJob, error: Interrupted | BudgetExceeded) -> str:
    kept = (
        "finished queries and paid answers are kept"
        if job.journal
        else ("paid answers are kept (--journal FILE keeps finished queries as well)")
    )
    larger = ", with a larger budget" if isinstance(error, BudgetExceeded) else ""
    return f"{kept}: the same command goes on from here{larger}"
