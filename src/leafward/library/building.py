"""From documents to a published index: plan, build, derive, probe, publish."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from pydantic import TypeAdapter

from leafward.corpus import Corpus
from leafward.engines import Bm25Engine
from leafward.errors import IndexNotFound
from leafward.library.fingerprint import build_fingerprint
from leafward.library.planning import plan_documents
from leafward.library.probing import Probed, probe_build
from leafward.library.reports import IndexReport
from leafward.library.session import Session
from leafward.library.vectors import leaf_order, node_vectors
from leafward.protocols import Progress, Vectors
from leafward.store import BuildMeta, Draft, Snapshot, Store
from leafward.tree import Build, build_tree
from leafward.types import NO_USAGE, Document, Usage


@cache
def _reports() -> TypeAdapter[IndexReport]:
    """Made when it is first needed: it costs more than everything else in opening an index."""
    return TypeAdapter(IndexReport)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One finished tree with the vectors that searching it takes."""

    build: Build
    leaves: Vectors
    nodes: Vectors


class Builder:
    """Builds one index; everything paid for is in the store's call cache, so that running again
    after any failure goes on where it ended."""

    def __init__(self, store: Store, session: Session, progress: Progress, *, probe: bool) -> None:
        self._store = store
        self._session = session
        self._settings = session.settings.build
        self._progress = progress
        self._probe = probe and self._settings.probe_documents > 0

    async def run(self, corpus: Corpus, *, force: bool) -> IndexReport:
        """Build and publish, unless the index already holds this very build.

        Raises:
            BudgetExceeded, Interrupted, ModelError: before publication; run again to go on.
        """
        start = time.monotonic()
        session, documents = self._session, corpus.documents
        fingerprint = build_fingerprint(
            documents, self._settings, model=session.model, embedder=session.embedder_name
        )
        if not force and (known := self._known(fingerprint)) is not None:
            return dataclasses.replace(known, problems=corpus.problems)
        self._store.journal("build", "started", {"fingerprint": fingerprint})
        candidates = await self._candidates(documents)
        usage = session.meter.total  # the probe's is reported apart
        probed = [await self._probed(candidate, documents) for candidate in candidates]
        best = max(range(len(candidates)), key=lambda row: probed[row].quality)
        report = self._report(corpus, candidates[best], probed[best], usage)
        report = dataclasses.replace(report, seconds=time.monotonic() - start)
        generation = await asyncio.to_thread(
            self._publish, documents, fingerprint, candidates[best], report
        )
        self._store.journal("build", "published", {"generation": generation})
        return dataclasses.replace(report, generation=generation)

    def _known(self, fingerprint: str) -> IndexReport | None:
        """The report of the published build, where it is this one."""
        try:
            snapshot = self._store.snapshot()
        except IndexNotFound:
            return None
        if snapshot.fingerprint != fingerprint:
            return None
        return dataclasses.replace(stored_report(snapshot), up_to_date=True, usage=NO_USAGE)

    async def _candidates(self, documents: Sequence[Document]) -> list[Candidate]:
        """Build every tree that was asked for; documents are embedded once."""
        made: list[Candidate] = []
        for strategy in self._settings.candidates or (self._settings.strategy,):
            build = await build_tree(
                documents,
                self._settings.model_copy(update={"strategy": strategy}),
                chat=self._session.chat,
                embedder=self._session.embedder,
                vectors=made[0].build.vectors if made else None,
                progress=self._progress,
            )
            made.append(await asyncio.to_thread(self._derive, documents, build))
        return made

    def _derive(self, documents: Sequence[Document], build: Build) -> Candidate:
        ids = [document.id for document in documents]
        leaves = leaf_order(build.tree, ids, build.vectors)
        return Candidate(build, leaves, node_vectors(build.tree, leaves))

    async def _probed(self, candidate: Candidate, documents: Sequence[Document]) -> Probed:
        if not self._probe:
            return Probed(None, "not asked for")
        return await probe_build(
            candidate.build,
            documents,
            self._session,
            leaves=candidate.leaves,
            nodes=candidate.nodes,
            progress=self._progress,
            decisive=len(self._settings.candidates) > 1,
        )

    def _report(
        self, corpus: Corpus, chosen: Candidate, probed: Probed, usage: Usage
    ) -> IndexReport:
        build = chosen.build
        return IndexReport(
            documents=len(corpus.documents),
            nodes=len(build.tree.nodes),
            depth=build.tree.depth,
            generation=0,
            strategy=build.report.strategy,
            seconds=0.0,
            up_to_date=False,
            problems=corpus.problems,
            extractive=len(build.extractive),
            repairs={str(kind): count for kind, count in build.report.repairs.items()},
            plan=plan_documents(
                corpus.documents, self._session.settings, model=self._session.model
            ),
            usage=usage,
            probe=probed.report,
            unprobed=probed.reason,
        )

    def _publish(
        self,
        documents: Sequence[Document],
        fingerprint: str,
        chosen: Candidate,
        report: IndexReport,
    ) -> int:
        """Write what is derived, then make the new generation visible in one transaction."""
        draft = self._store.begin(
            documents,
            fingerprint=fingerprint,
            settings=json.dumps({"build": self._settings.model_dump(mode="json")}),
        )
        self._write_derived(draft, documents, chosen)
        stored = dataclasses.replace(report, generation=draft.generation, problems=())
        meta = BuildMeta(
            strategy=report.strategy,
            embedder=self._session.embedder_name,
            model=self._session.model,
            usage=report.usage,
            details={"report": _reports().dump_python(stored, mode="json")},
        )
        build = chosen.build
        self._store.publish(
            draft, build.tree, summaries=build.summaries, extractive=build.extractive, meta=meta
        )
        return draft.generation

    def _write_derived(
        self, draft: Draft, documents: Sequence[Document], chosen: Candidate
    ) -> None:
        by_id = {document.id: document for document in documents}
        ordered = [by_id[doc_id] for doc_id in chosen.build.tree.leaves]
        np.save(draft.folder / "vectors.npy", chosen.leaves, allow_pickle=False)
        np.save(draft.folder / "node_vectors.npy", chosen.nodes, allow_pickle=False)
        Bm25Engine.build(draft.folder / "lexical", ordered)


def stored_report(snapshot: Snapshot) -> IndexReport:
    """The report that a published build left."""
    return _reports().validate_python(snapshot.meta.details["report"])
