"""Rerankers behind and before other methods: cross-encoders, depth, what is passed on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.library.samples import settings

import leafward
from leafward.testing import Script, ScriptedServer, rules, word_overlap
from leafward.types import NO_USAGE, Query, Ranking

QUERY = Query("q1", "what makes dough rise in the oven")


class Library(ModuleType):
    """Stands in for sentence-transformers; its model likes a high case number and nothing else."""

    def __init__(self) -> None:
        super().__init__("sentence_transformers")
        self.batches: list[list[tuple[str, str]]] = []
        batches = self.batches

        class CrossEncoder:
            def __init__(self, name: str, *, local_files_only: bool) -> None:
                pass

            def predict(self, pairs: list[tuple[str, str]], **options: Any) -> Any:
                batches.append(pairs)
                return np.array([case(text) for _, text in pairs])

        self.CrossEncoder = CrossEncoder


def case(text: str) -> float:
    return float(text.partition("in case ")[2].split()[0])


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library()
    monkeypatch.setitem(sys.modules, "sentence_transformers", made)
    return made


def ids(ranking: Ranking) -> list[str]:
    return [hit.doc_id for hit in ranking.hits]


def numbers(found: Sequence[str]) -> list[int]:
    return [int(doc_id.split("-")[1]) for doc_id in found]


async def retrieved(
    index: leafward.Index, method: str, query: Query = QUERY, k: int = 10
) -> Ranking:
    return await index.retriever(method).retrieve(query, k=k)


async def test_a_cross_encoder_orders_its_shortlist_in_one_batch(
    index: leafward.Index, library: Library
) -> None:
    shortlist = ids(await retrieved(index, "dense", k=40))
    ranking = await retrieved(index, "cross-encoder(model=m, of=dense, top=30)", k=40)
    found = ids(ranking)
    assert sorted(found[:30]) == sorted(shortlist[:30])
    assert numbers(found[:30]) == sorted(numbers(shortlist[:30]), reverse=True)
    assert found[30:] == shortlist[30:]
    (batch,) = library.batches
    assert {asked for asked, _ in batch} == {QUERY.text}
    assert (ranking.judged, ranking.usage, ranking.degraded) == (30, NO_USAGE, False)


async def test_one_document_is_a_shortlist_too(index: leafward.Index, library: Library) -> None:
    ranking = await retrieved(index, "cross-encoder(model=m, of=dense, top=1)", k=5)
    assert ids(ranking) == ids(await retrieved(index, "dense", k=5))
    assert ranking.judged == 1


async def test_excluded_documents_are_not_even_read(
    index: leafward.Index, library: Library
) -> None:
    method = "cross-encoder(model=m, of=dense, top=10)"
    best = ids(await retrieved(index, method))
    library.batches.clear()
    ranking = await retrieved(index, method, Query("q1", QUERY.text, excluded_ids=frozenset(best)))
    assert len(ranking.hits) == 10
    assert not set(ids(ranking)) & set(best)
    (batch,) = library.batches
    assert len(batch) == 10


@pytest.mark.parametrize("method", ["rerank(of=dense, top=12)", "cross-encoder(model=m, top=12)"])
async def test_fewer_hits_are_the_first_of_more(
    index: leafward.Index, library: Library, method: str
) -> None:
    """The shortlist is as deep as the method says, however few hits are wanted."""
    more, fewer = await retrieved(index, method, k=12), await retrieved(index, method, k=2)
    assert fewer.hits == more.hits[:2]
    assert fewer.judged == more.judged == 12


async def test_what_any_judge_read_is_counted_once(index: leafward.Index, library: Library) -> None:
    twice = "cross-encoder(model=m, of=rerank(of=dense, top=12), top=5)"
    assert (await retrieved(index, twice)).judged == 12
    apart = "rrf(rerank(of=dense, top=4), rerank(of=bm25, top=4), bm25)"
    shown = [set(ids(await retrieved(index, source, k=4))) for source in ("dense", "bm25")]
    assert (await retrieved(index, apart)).judged == len(shown[0] | shown[1])


async def test_a_shortlist_that_is_degraded_stays_so(place: Path, library: Library) -> None:
    rulebook = [rules.canned({"You write": "no"}), rules.oracle_judge(word_overlap)]
    with ScriptedServer(Script(rules=rulebook)) as server:
        chosen = settings(server.base_url)
        async with leafward.open(place, model="openai:scripted", settings=chosen) as index:
            for method in ("rerank(of=hyde>bm25, top=5)", "cross-encoder(model=m, of=hyde>bm25)"):
                ranking = await retrieved(index, method)
                assert ranking.degraded
                assert set(ids(ranking)) == set(ids(await retrieved(index, "bm25")))
            assert not (await retrieved(index, "rerank(of=bm25, top=5)")).degraded
