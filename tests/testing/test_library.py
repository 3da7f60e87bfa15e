"""The whole product against the scripted server: what the ready rules are for."""

from __future__ import annotations

from pathlib import Path

import leafward
from leafward.settings import BuildSettings, ModelSettings, SearchSettings, Settings
from leafward.testing import Fault, Inject, Oracle, ScriptedServer, rules
from leafward.types import Document, Qrel, Query

SUBJECTS = {
    "cells": "membrane nucleus protein division tissue growth",
    "taxes": "income levy revenue court threshold budget",
    "stars": "galaxy orbit telescope light dust planet",
    "music": "harmony rhythm violin opera melody chorus",
}
DOCUMENTS = [
    Document(
        f"{subject}-{n}", f"{subject} and {word}: how {subject} depend on {word}.", f"Of {word}"
    )
    for subject, about in SUBJECTS.items()
    for n, word in enumerate(about.split())
]
QUERIES = [Query(document.id, f"Which text is {document.id}?") for document in DOCUMENTS[::5]]
QRELS = [Qrel(query.id, query.id, 1) for query in QUERIES]


async def test_a_build_and_its_searches_are_answered_throughout(tmp_path: Path) -> None:
    unknown: list[str] = []

    def note(query: str, candidate: str) -> float:
        unknown.append(candidate)
        return 0.0

    oracle = Oracle(DOCUMENTS, QUERIES, QRELS, unknown=note)
    answers = [rules.summaries, rules.clusters, rules.describe_group, rules.oracle_judge(oracle)]
    faults = [Inject(Fault.MISSING_IDS, nth={1}), Inject(Fault.FENCE, nth={2})]
    async with ScriptedServer(rules=answers, faults=faults) as server:
        settings = Settings(
            build=BuildSettings(strategy="top-down", branching=4, probe_documents=0),
            search=SearchSettings(iterations=8),
            models=ModelSettings(base_url=server.base_url, api_key="k"),
        )
        index = await leafward.abuild(
            DOCUMENTS,
            tmp_path / "index",
            model="openai:scripted",
            embedder="lexical",
            settings=settings,
        )
        async with index:
            oracle.learn(index.tree)
            for query in QUERIES:
                result = await index.asearch(query.text, k=1)
                assert [hit.doc_id for hit in result.hits] == [query.id]
    stats = server.stats()
    assert unknown == [] and stats.errors == []
    assert sorted(stats.faults) == [Fault.FENCE.value, Fault.MISSING_IDS.value]
    assert {"summaries", "clusters", "slate_scores"} <= stats.kinds.keys()
    assert stats.requests == stats.answered and stats.paid_twice == 0
