"""The routing probe of a tree that is not published yet."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from leafward.errors import BudgetExceeded, Interrupted, ModelError
from leafward.library.judging import Resources, make_judge, resolve_judge, suited
from leafward.library.reader import MemoryDocuments, TreeReader
from leafward.library.session import Session
from leafward.protocols import Progress, Vectors
from leafward.search.probe import ProbeQuery, ProbeReport, routing_probe
from leafward.tree import Build
from leafward.types import Document

STAGE = "probing"
MOST_SPECIFIC = 4
QUERY_WORDS = 20


@dataclass(frozen=True, slots=True)
class Probed:
    """A probe's report, or the reason why there is none."""

    report: ProbeReport | None
    reason: str = ""

    @property
    def quality(self) -> tuple[float, float]:
        """What decides between trees: documents reached, then the first choice at the root."""
        if self.report is None:
            return 0.0, 0.0
        return self.report.reached, self.report.first[0] if self.report.first else 0.0


async def probe_build(
    build: Build,
    documents: Sequence[Document],
    session: Session,
    *,
    leaves: Vectors,
    nodes: Vectors,
    progress: Progress,
    decisive: bool = False,
) -> Probed:
    """Probe with the judge that searches will use.

    A finished tree is never lost to its own test: a spent budget, an interrupt or a failing judge
    leaves it unprobed, with the reason. Unless the probe is ``decisive``, between several trees:
    then a failure that has nothing to do with them must not choose, and is raised.
    """
    search = suited(session.settings.search, resolve_judge("auto", session.model))
    judge = make_judge("auto", Resources(session.chat, session.embedder, nodes, leaves), search)
    reader = TreeReader(build.tree, MemoryDocuments(build.tree, documents, build.summaries))
    queries = probe_queries(build, documents, session.settings.build.probe_documents, search.seed)
    progress.start(STAGE, len(queries))
    try:
        report = await routing_probe(
            build.tree,
            queries,
            judge,
            search,
            reader=reader,
            concurrency=session.settings.build.concurrency,
            on_document=lambda: progress.advance(STAGE),
        )
    except (BudgetExceeded, Interrupted, ModelError) as error:
        if decisive:
            raise
        return Probed(None, error.message)
    finally:
        progress.finish(STAGE)
    return Probed(report)


def probe_queries(
    build: Build, documents: Sequence[Document], count: int, seed: int
) -> list[ProbeQuery]:
    """A seeded sample of documents, each asked for by its most specific summary."""
    drawn = random.Random(seed).sample(list(documents), min(count, len(documents)))
    return [ProbeQuery(document.id, _question(build, document)) for document in drawn]


def _question(build: Build, document: Document) -> str:
    summaries = build.summaries.get(document.id)
    if summaries and document.id not in build.extractive:
        return summaries[MOST_SPECIFIC]
    return " ".join(document.full_text.split()[:QUERY_WORDS])
