"""Builds and searches that end early: a spent budget, Ctrl-C, a provider that is gone."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.samples import building_rules, sample
from tests.acceptance.serving import (
    idle,
    settings,
    slates,
    stored_prompts,
    stored_usage,
    told,
)

import leafward
from leafward.errors import (
    BudgetExceeded,
    IndexNotFound,
    Interrupted,
    LeafwardError,
    ModelRejected,
    ModelUnavailable,
)
from leafward.models import Meter, Stop
from leafward.testing import (
    Constant,
    Fault,
    Inject,
    Oracle,
    ScriptedServer,
    Stats,
    Uniform,
    rules,
)
from leafward.types import Tree

SAMPLE = sample(30, 3)
QUERY = SAMPLE.queries[0].text
BUILD = {"branching": 6, "summary_batch": 5}
LONG = 1000.0  # seconds that a provider asks to wait; longer than any deadline, so none is waited
SEARCH = {"beam": 2, "iterations": 6, "schedule": "lockstep", "candidate_tokens": 40}


@dataclass(frozen=True)
class Whole:
    """What an undisturbed build ends in, and what the provider counts for it."""

    tree: Tree
    cost: Stats


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    with ScriptedServer(rules=building_rules()) as scripted:
        tree = asyncio.run(build(scripted, tmp_path_factory.mktemp("whole") / "i"))
        return Whole(tree, idle(scripted))


@pytest.fixture
def oracle() -> Oracle:
    return SAMPLE.oracle()


@pytest.fixture
def server(oracle: Oracle) -> Iterator[ScriptedServer]:
    with ScriptedServer(
        rules=building_rules(rules.oracle_judge(oracle)), latency=Uniform(0.0, 0.01)
    ) as scripted:
        yield scripted


async def build(
    server: ScriptedServer,
    path: Path,
    *,
    stop: Stop | None = None,
    meter: Meter | None = None,
    **sections: Any,
) -> Tree:
    given = settings(
        server.base_url, build=BUILD | sections.pop("build", {}), search=SEARCH, **sections
    )
    index = await leafward.abuild(SAMPLE.documents, path, settings=given, stop=stop, meter=meter)
    async with index:
        return index.tree


async def ends(
    error: type[LeafwardError], server: ScriptedServer, path: Path, **options: Any
) -> LeafwardError:
    """A build that ends with an error which says what to do, and leaves nothing half visible."""
    with pytest.raises(error) as raised:
        await build(server, path, **options)
    assert raised.value.hint
    with pytest.raises(IndexNotFound) as unfinished:
        leafward.open(path)
    assert "leafward index" in unfinished.value.hint
    return raised.value


def all_stored(server: ScriptedServer, path: Path) -> int:
    """How many answers are stored, which must be all that were delivered."""
    stored = stored_usage(path).calls
    assert stored == idle(server).answered
    return stored


@pytest.mark.parametrize("limit", ["calls", "tokens", "money"])
async def test_a_spent_budget_is_resumed_with_a_larger_one(
    server: ScriptedServer, whole: Whole, tmp_path: Path, limit: str
) -> None:
    prices = {"price_prompt": 1.0, "price_completion": 4.0}  # dollars per million tokens
    most = 0.9 * _billed(whole.cost, limit)
    most = most if limit == "money" else int(most)
    stopped = await ends(
        BudgetExceeded, server, tmp_path / "i", budget={limit: most}, models=prices
    )
    assert isinstance(stopped, BudgetExceeded)
    assert (stopped.limit, limit in stopped.hint) == (limit, True)
    assert _billed(idle(server), limit) <= most
    first = all_stored(server, tmp_path / "i")
    assert first > 0

    # The limit is that of one run: what was paid before does not count again.
    tree = await build(server, tmp_path / "i", budget={limit: 4 * most}, models=prices)
    assert tree == whole.tree
    stats = idle(server)
    assert stats.paid_twice == 0
    assert stats.prompts.keys() == whole.cost.prompts.keys()
    assert all_stored(server, tmp_path / "i") == whole.cost.paid_calls


def _billed(stats: Stats, limit: str) -> float:
    if limit == "calls":
        return stats.paid_calls
    if limit == "tokens":
        return stats.tokens
    kinds = stats.kinds.values()
    return sum(kind.prompt_tokens + 4 * kind.completion_tokens for kind in kinds) / 1e6


async def test_ctrl_c_in_a_build_saves_what_is_in_flight(
    server: ScriptedServer, whole: Whole, tmp_path: Path
) -> None:
    server.change(latency=Constant(0.05))
    stop = Stop()

    async def press() -> None:
        await asyncio.to_thread(server.wait, 5)
        stop.set()

    pressing = asyncio.ensure_future(press())
    await ends(Interrupted, server, tmp_path / "i", stop=stop)
    await pressing
    stats = idle(server)
    assert stats.lost == 0  # nobody hung up on an answer
    assert 5 <= all_stored(server, tmp_path / "i") < whole.cost.paid_calls

    assert await build(server, tmp_path / "i") == whole.tree
    assert idle(server).paid_twice == 0


async def test_ctrl_c_in_a_search_saves_what_is_in_flight(
    server: ScriptedServer, oracle: Oracle, tmp_path: Path
) -> None:
    oracle.learn(await build(server, tmp_path / "i"))
    given = settings(server.base_url, search=SEARCH)
    async with leafward.open(tmp_path / "i", settings=given) as index:
        undisturbed = await index.asearch(QUERY, relevance="undisturbed")
    server.reset()
    server.change(latency=Constant(0.05))
    stored = stored_usage(tmp_path / "i").calls
    stop = Stop()
    async with leafward.open(tmp_path / "i", settings=given, stop=stop) as index:
        searching = asyncio.ensure_future(index.asearch(QUERY))
        await asyncio.to_thread(server.wait, 3)
        stop.set()
        with pytest.raises(Interrupted) as interrupted:
            await searching
        assert interrupted.value.hint
    stats = idle(server)
    assert stats.lost == 0
    assert stored_usage(tmp_path / "i").calls - stored == stats.answered >= 3

    async with leafward.open(tmp_path / "i", settings=given) as index:
        result = await index.asearch(QUERY)
    assert [hit.doc_id for hit in result.hits] == [hit.doc_id for hit in undisturbed.hits]
    assert idle(server).paid_twice == 0


def test_an_index_can_be_used_again_after_ctrl_c(
    server: ScriptedServer, oracle: Oracle, tmp_path: Path
) -> None:
    oracle.learn(asyncio.run(build(server, tmp_path / "i")))
    server.reset()
    server.change(latency=Constant(0.2))

    def press() -> None:
        server.wait(2)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    with leafward.open(tmp_path / "i", settings=settings(server.base_url, search=SEARCH)) as index:
        pressing = threading.Thread(target=press)
        pressing.start()
        with pytest.raises(Interrupted):
            index.search(QUERY)
        pressing.join()
        server.change(latency=Constant(0.0))
        assert index.search(QUERY).hits
    stats = idle(server)
    assert (stats.lost, stats.paid_twice) == (0, 0)


async def test_a_search_past_its_deadline_loses_no_answer(
    server: ScriptedServer, oracle: Oracle, tmp_path: Path
) -> None:
    oracle.learn(await build(server, tmp_path / "i"))
    server.change(latency=Constant(0.2))
    given = settings(server.base_url, search=SEARCH | {"deadline": 0.3})
    async with leafward.open(tmp_path / "i", settings=given) as index:
        result = await index.asearch(QUERY)
    assert result.stop == "deadline"
    assert idle(server).lost == 0
    all_stored(server, tmp_path / "i")


async def test_a_budget_of_the_job_holds_beside_that_of_a_search(
    server: ScriptedServer, oracle: Oracle, tmp_path: Path
) -> None:
    oracle.learn(await build(server, tmp_path / "i"))
    before = idle(server).paid_calls
    given = settings(server.base_url, search=SEARCH | {"max_tokens": 200_000}, budget={"calls": 3})
    async with leafward.open(tmp_path / "i", settings=given) as index:
        results = [await index.asearch(query.text) for query in SAMPLE.queries]
    assert [result.stop for result in results] == ["calls"] * len(results)
    assert idle(server).paid_calls - before == 3


async def test_a_provider_that_goes_away_is_not_taken_for_a_bad_model(
    server: ScriptedServer, whole: Whole, tmp_path: Path
) -> None:
    # The first answers are good; then every request is turned away.
    server.change(faults=[Inject(Fault.UNAVAILABLE, nth=range(6, 10**6), retry_after=LONG)])
    down = await ends(ModelUnavailable, server, tmp_path / "i")
    assert down.retryable
    assert all_stored(server, tmp_path / "i") == 5
    server.stop()  # and now there is nobody at all
    gone = await ends(ModelUnavailable, server, tmp_path / "i", models={"total_deadline": 0.3})
    assert "running" in gone.hint
    server.start()
    server.change(faults=[])
    assert await build(server, tmp_path / "i") == whole.tree
    stats = idle(server)
    assert stats.paid_twice == 0
    assert stats.paid.keys() == whole.cost.paid.keys()


async def test_a_key_that_expires_is_not_taken_for_a_bad_prompt(
    server: ScriptedServer, whole: Whole, tmp_path: Path
) -> None:
    server.change(latency=Constant(0.02))

    async def revoke() -> None:
        await asyncio.to_thread(server.wait, 4)
        server.change(api_key="another")

    revoking = asyncio.ensure_future(revoke())
    expired = await ends(ModelRejected, server, tmp_path / "i", build={"concurrency": 1})
    await revoking
    assert "API_KEY" in expired.hint
    stored = stored_prompts(tmp_path / "i")
    server.change(api_key=None)
    assert await build(server, tmp_path / "i") == whole.tree
    paid = idle(server).paid
    assert [paid[prompt] for prompt in stored] == [1] * len(stored)


async def test_trees_are_not_compared_by_a_probe_that_an_outage_broke_off(
    server: ScriptedServer, tmp_path: Path
) -> None:
    several = {"candidates": ["top-down", "bottom-up"], "probe_documents": 2}
    whole = await build(server, tmp_path / "whole", build=several)
    server.reset()
    later = Inject(
        Fault.SERVER_ERROR, kinds={"slate_scores"}, nth=range(3, 10**6), retry_after=LONG
    )
    server.change(faults=[later])
    down = await ends(ModelUnavailable, server, tmp_path / "i", build=several)
    assert down.retryable
    server.change(faults=[])
    assert await build(server, tmp_path / "i", build=several) == whole
    assert idle(server).paid_twice == 0


async def test_a_single_tree_is_published_though_its_probe_fails(
    server: ScriptedServer, tmp_path: Path
) -> None:
    server.change(faults=[Inject(Fault.SERVER_ERROR, kinds={"slate_scores"}, retry_after=LONG)])
    given = settings(server.base_url, build=BUILD | {"probe_documents": 3})
    async with await leafward.abuild(SAMPLE.documents, tmp_path / "i", settings=given) as index:
        report = index.build_report
    assert report.probe is None
    assert "500" in report.unprobed
    assert leafward.verify(tmp_path / "i").ok


async def test_the_same_search_again_after_a_failure_finds_what_it_had(
    server: ScriptedServer, oracle: Oracle, tmp_path: Path
) -> None:
    oracle.learn(await build(server, tmp_path / "i"))
    given = settings(server.base_url, search=SEARCH)
    server.change(faults=[Inject(Fault.SERVER_ERROR, nth=range(3, 10**6), retry_after=LONG)])
    async with leafward.open(tmp_path / "i", settings=given) as index:
        broken = await index.asearch(QUERY)
        assert (broken.degraded, broken.stop) == (True, "failures")
        before = stored_prompts(tmp_path / "i")
        server.change(faults=[])
        whole = await index.asearch(QUERY)
        assert not whole.degraded
        again = await index.asearch(QUERY)
    assert (told(again), slates(again)) == (told(whole), slates(whole))
    paid = idle(server).paid
    assert [paid[prompt] for prompt in before] == [1] * len(before)
