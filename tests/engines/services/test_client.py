"""What a client keeps, how fast it asks, and where it stops."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from leafward.engines.pubmed import PubMedEngine
from leafward.engines.trials import TrialsEngine
from leafward.errors import EngineUnavailable, Interrupted, QuerySyntaxError, SettingsError
from leafward.models import Stop
from leafward.store import CallCache
from leafward.testing import Fault, Inject, StandInServices
from leafward.types import Document, Usage

RECORDS = [Document("1", "Aspirin.", "One"), Document("2", "Aspirin.", "Two")]


@pytest.fixture
def services() -> Iterator[StandInServices]:
    with StandInServices(RECORDS, [Document("NCT1", "Aspirin.", "Study")]) as services:
        yield services


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[CallCache]:
    with CallCache(tmp_path / "services.sqlite") as cache:
        yield cache


async def test_nothing_is_asked_twice(services: StandInServices, cache: CallCache) -> None:
    answers = []
    for _ in range(2):
        async with PubMedEngine(services.settings(), cache=cache) as pubmed:
            answers.append(await pubmed.search("aspirin", k=5))
            assert await pubmed.titles(["1", "2"]) == ["One", "Two"]
            with pytest.raises(QuerySyntaxError):
                await pubmed.search("aspirin[xx]", k=5)
        async with TrialsEngine(services.settings(), cache=cache) as trials:
            answers.append(await trials.search("aspirin", k=5))
            with pytest.raises(QuerySyntaxError):
                await trials.search("aspirin [x]", k=5)
    assert answers[:2] == answers[2:]
    assert set(services.stats().prompts.values()) == {1}
    assert services.stats().requests == 5


async def test_other_questions_are_asked(services: StandInServices, cache: CallCache) -> None:
    async with PubMedEngine(services.settings(), cache=cache) as engine:
        await engine.search("aspirin", k=1)
        await engine.search("aspirin", k=2)
    async with PubMedEngine(services.settings(), cache=cache, order="relevance") as engine:
        await engine.search("aspirin", k=2)
    assert services.stats().requests == 3


async def test_an_outage_is_not_kept(services: StandInServices, cache: CallCache) -> None:
    services.strike(Inject(Fault.GARBAGE), Inject(Fault.UNAVAILABLE))
    async with PubMedEngine(services.settings(total_deadline=2.0), cache=cache) as engine:
        with pytest.raises(EngineUnavailable):
            await engine.search("aspirin", k=5)
        services.strike()
        assert (await engine.search("aspirin", k=5)).total == 2


async def test_a_damaged_answer_is_asked_for_again(
    services: StandInServices, tmp_path: Path
) -> None:
    path = tmp_path / "services.sqlite"
    for _ in range(2):
        with CallCache(path) as cache:
            async with PubMedEngine(services.settings(), cache=cache) as engine:
                assert (await engine.search("aspirin", k=5)).total == 2
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE calls SET answer = '{}'")
    assert services.stats().requests == 2


async def test_a_cache_that_cannot_be_written_to(
    services: StandInServices, caplog: pytest.LogCaptureFixture
) -> None:
    class Full:
        def get(self, key: str) -> str | None:
            return None

        def put(
            self, key: str, *, kind: str, model: str, request: str, answer: str, usage: Usage
        ) -> None:
            from leafward.errors import StoreError

            raise StoreError("the disk is full")

    async with PubMedEngine(services.settings(), cache=Full()) as engine:
        with caplog.at_level(logging.WARNING, logger="leafward.engines"):
            assert (await engine.search("aspirin", k=5)).total == 2
            assert (await engine.search("aspirin", k=1)).total == 2
    assert caplog.text.count("the disk is full") == 1


async def test_the_rate_is_kept() -> None:
    """The stand-in turns away whoever asks more often than it allows; nobody is."""
    with StandInServices(RECORDS, per_second=40) as services:
        settings = services.settings(pubmed_per_second=30, concurrency=16)
        async with PubMedEngine(settings) as engine:
            found = await asyncio.gather(*(engine.search(f"aspirin w{n}", k=1) for n in range(50)))
        assert len(found) == 50
        stats = services.stats()
    assert stats.requests == 50
    assert sum(kind.rejected for kind in stats.kinds.values()) == 0


async def test_too_fast_is_turned_away_and_tried_again() -> None:
    with StandInServices(RECORDS, per_second=5) as services:
        settings = services.settings(total_deadline=30, max_retry_after=1.0, retry_wait=0.3)
        async with PubMedEngine(settings) as engine:
            found = await asyncio.gather(*(engine.search(f"aspirin w{n}", k=1) for n in range(8)))
        assert [ranking.total for ranking in found] == [0] * 8
        assert sum(kind.rejected for kind in services.stats().kinds.values()) >= 1


@pytest.mark.parametrize(("key", "rate"), [(None, 3.0), ("k", 10.0)])
def test_ncbi_s_own_rates(key: str | None, rate: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[float] = []

    class Noting:
        def __init__(self, per_minute: float, **_: object) -> None:
            rates.append(per_minute / 60)

    monkeypatch.setattr("leafward.engines.services.client.Bucket", Noting)
    monkeypatch.setenv("NCBI_API_KEY", key or "")
    PubMedEngine()
    assert rates == [rate]


async def test_a_wish_to_stop_ends_a_wait(services: StandInServices) -> None:
    services.strike(Inject(Fault.RATE_LIMITED, retry_after=60.0))
    stop = Stop()
    async with PubMedEngine(services.settings(total_deadline=600), stop=stop) as engine:
        task = asyncio.ensure_future(engine.search("aspirin", k=1))
        assert await asyncio.to_thread(services.wait, 1)
        stop.set()
        with pytest.raises(Interrupted):
            await task
        with pytest.raises(Interrupted):
            await engine.search("aspirin", k=2)
    assert services.stats().requests == 1


def test_one_engine_in_several_loops(services: StandInServices) -> None:
    engine = PubMedEngine(services.settings())

    async def once() -> int | None:
        async with engine:
            return (await engine.search("aspirin", k=1)).total

    assert [asyncio.run(once()) for _ in range(3)] == [2, 2, 2]


@pytest.mark.parametrize("address", ["ftp://example.org", "no address", "http://[::1"])
async def test_what_is_no_address(services: StandInServices, address: str) -> None:
    async with PubMedEngine(services.settings(pubmed_url=address)) as engine:
        with pytest.raises(SettingsError, match="no address"):
            await engine.search("aspirin", k=1)
