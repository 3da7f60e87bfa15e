"""Must show 6: the same search over the same cache, and the same build, cost nothing again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.samples import building_rules, sample
from tests.acceptance.serving import idle, settings, slates, stored_prompts, told

import leafward
from leafward.settings import SearchSettings
from leafward.testing import Noise, ScriptedServer, Uniform, rules

SAMPLE = sample(36, 4)
SEARCH = SearchSettings(beam=4, iterations=4, candidate_tokens=40)
SLOW_AND_QUICK = Uniform(0.0, 0.1)  # far apart, so that answers overtake each other


def server() -> ScriptedServer:
    judge = rules.noisy_judge(SAMPLE.oracle(), Noise(0.8, 0.25, 0.15))
    return ScriptedServer(rules=building_rules(judge), latency=SLOW_AND_QUICK, seed=3)


def searches() -> list[dict[str, Any]]:
    """Plain, with exclusions, with filters, with another idea of relevance; all different."""
    first, second, third = SAMPLE.queries[:3]
    excluded = sorted(document.id for document in SAMPLE.documents[::4])
    return [
        {"text": first.text},
        {"text": second.text, "k": 3},
        {"text": first.text, "exclude": excluded},
        {"text": first.text, "where": {"third": [0, 2]}},
        {"text": second.text, "where": {"third": 1}, "exclude": excluded[:5]},
        {"text": third.text, "relevance": "it reports an experiment"},
        {"text": third.text, "search": SEARCH.model_copy(update={"schedule": "lockstep"})},
    ]


async def test_the_same_search_again_makes_the_same_prompts_and_no_call(tmp_path: Path) -> None:
    async with server() as scripted:
        given = settings(scripted.base_url, search=SEARCH.model_dump())
        async with await leafward.abuild(SAMPLE.documents, tmp_path / "i", settings=given) as index:
            first = [await index.asearch(**search) for search in searches()]
        before = idle(scripted)
        assert before.paid_twice == 0
        # Without a barrier it was chance that decided what was shown when.
        orders = [[slate.id for slate, _ in slates(result)] for result in first]
        assert sum(order != sorted(order) for order in orders) >= 3

        # Another pace and another order of the searches: chance would decide otherwise.
        scripted.change(seed=4)
        async with leafward.open(tmp_path / "i", settings=given) as index:
            pairs = list(zip(searches(), first, strict=True))
            for search, known in reversed(pairs):
                again = await index.asearch(**search)
                assert told(again) == told(known)
                assert slates(again) == slates(known)
                assert (again.stop, again.degraded) == (known.stop, known.degraded)
                assert again.usage.calls == again.usage.tokens == 0
                assert again.usage.cache_hits == known.usage.calls + known.usage.cache_hits
            assert idle(scripted).prompts == before.prompts
            assert index.usage.calls == 0


async def test_other_searches_in_between_change_nothing(tmp_path: Path) -> None:
    query = SAMPLE.queries[0].text
    async with server() as scripted:
        given = settings(scripted.base_url, search=SEARCH.model_dump())
        async with await leafward.abuild(SAMPLE.documents, tmp_path / "i", settings=given) as index:
            first = await index.asearch(query)
            order = [slate.id for slate, _ in slates(first)]
            assert order != sorted(order)
            for n in range(25):  # of the same words, with other ideas of relevance
                one = SEARCH.model_copy(update={"beam": 1, "iterations": 1})
                other = await index.asearch(query, relevance=f"sense {n}", search=one)
                assert other.usage.calls == 1
            before = idle(scripted)
            again = await index.asearch(query)
        assert told(again) == told(first)
        assert slates(again) == slates(first)
        assert idle(scripted).prompts == before.prompts


async def test_asking_for_more_hits_walks_the_same_way(tmp_path: Path) -> None:
    query = SAMPLE.queries[0].text
    async with server() as scripted:
        given = settings(scripted.base_url, search=SEARCH.model_dump())
        async with await leafward.abuild(SAMPLE.documents, tmp_path / "i", settings=given) as index:
            few = await index.asearch(query, k=3)
            before = idle(scripted)
            many = await index.asearch(query, k=12)
        assert told(many)[:3] == told(few)
        assert idle(scripted).prompts == before.prompts


@pytest.mark.parametrize("strategy", ["top-down", "bottom-up"])
async def test_the_same_build_again_makes_no_call(tmp_path: Path, strategy: str) -> None:
    build = {"strategy": strategy, "probe_documents": 4}
    async with server() as scripted:
        given = settings(scripted.base_url, search=SEARCH.model_dump(), build=build)
        async with await leafward.abuild(SAMPLE.documents, tmp_path / "i", settings=given) as index:
            tree, report = index.tree, index.build_report
            hits = told(await index.asearch(SAMPLE.queries[0].text))
        before = idle(scripted)
        assert before.paid_twice == 0
        assert {"summaries", "slate_scores"} <= before.kinds.keys()
        assert sorted(stored_prompts(tmp_path / "i")) == sorted(before.prompts)

        async with await leafward.abuild(SAMPLE.documents, tmp_path / "i", settings=given) as index:
            again = index.build_report
        assert again.up_to_date
        assert (again.generation, again.usage.calls) == (report.generation, 0)

        async with await leafward.abuild(
            SAMPLE.documents, tmp_path / "i", force=True, settings=given
        ) as index:
            forced = index.build_report
            assert index.tree == tree
            assert [index.summaries(leaf) for leaf in tree.leaves] != []
            assert told(await index.asearch(SAMPLE.queries[0].text)) == hits
        assert not forced.up_to_date
        assert forced.generation == report.generation + 1
        assert forced.usage.calls == 0
        assert forced.usage.cache_hits == report.usage.calls
        assert forced.probe is not None and report.probe is not None
        assert (forced.probe.reached, forced.probe.first) == (
            report.probe.reached,
            report.probe.first,
        )
        assert idle(scripted).prompts == before.prompts
    assert leafward.verify(tmp_path / "i").ok


async def test_a_changed_corpus_asks_about_what_changed_alone(tmp_path: Path) -> None:
    async with server() as scripted:
        given = settings(scripted.base_url)
        async with await leafward.abuild(SAMPLE.documents, tmp_path / "i", settings=given):
            pass
        before = idle(scripted).kinds["summaries"].requests
        changed = SAMPLE.documents[:-1]  # the batches before the last one are as they were
        async with await leafward.abuild(changed, tmp_path / "i", settings=given) as index:
            assert not index.build_report.up_to_date
            assert sorted(index.tree.leaves) == sorted(document.id for document in changed)
        after = idle(scripted)
        assert after.paid_twice == 0
        assert after.kinds["summaries"].requests - before <= 1
