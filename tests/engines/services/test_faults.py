"""Whatever befalls a service: the answer is right, or there is none. Never a wrong one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from leafward.engines.pubmed import PubMedEngine
from leafward.engines.trials import TrialsEngine
from leafward.errors import EngineRefuses, EngineUnavailable, EngineUnreachable, QuerySyntaxError
from leafward.testing import SERVICE_FAULTS, Fault, Inject, StandInServices
from leafward.types import Document, Ranking

RECORDS = [
    Document(str(number), f"Aspirin and word{number % 40}.", f"T{number}", {"year": "2004"})
    for number in range(1, 400)
]
STUDIES = [Document(f"NCT{document.id}", document.text, document.title) for document in RECORDS]

Engine = type[PubMedEngine] | type[TrialsEngine]
BOTH = pytest.mark.parametrize("kind", [PubMedEngine, TrialsEngine])


@pytest.fixture(scope="module")
def services() -> Iterator[StandInServices]:
    with StandInServices(RECORDS, STUDIES) as services:
        yield services


@pytest.fixture(autouse=True)
def unharmed(services: StandInServices) -> Iterator[None]:
    """Every test begins with a service that works, and with counts of zero."""
    services.strike()
    services.reset()
    yield
    services.strike()


async def found(services: StandInServices, kind: Engine, **settings: object) -> Ranking:
    async with kind(services.settings(**settings)) as engine:
        return await engine.search("aspirin AND word7", k=300)


@BOTH
@pytest.mark.parametrize("fault", SERVICE_FAULTS)
async def test_each_fault_is_survived(
    services: StandInServices, kind: Engine, fault: Fault
) -> None:
    expected = await found(services, kind)
    services.strike(Inject(fault, times=2, retry_after=0.01, stall=3.0))
    assert await found(services, kind, attempt_timeout=2.0) == expected
    assert services.stats().faults == {fault.value: 2}


@BOTH
@pytest.mark.parametrize("fault", SERVICE_FAULTS)
async def test_a_fault_that_stays_is_our_failure(
    services: StandInServices, kind: Engine, fault: Fault
) -> None:
    services.strike(Inject(fault, retry_after=0.01, stall=3.0))
    seconds = 4.0 if fault is Fault.STALL else 1.2  # a stalled attempt takes all of its time
    with pytest.raises(EngineUnavailable) as caught:
        await found(services, kind, attempt_timeout=0.5, total_deadline=seconds)
    assert caught.value.retryable
    assert caught.value.hint
    assert "127.0.0.1" not in caught.value.message
    assert services.stats().requests >= 2


@BOTH
async def test_a_fifth_of_all_answers_lost_changes_none(
    services: StandInServices, kind: Engine
) -> None:
    expressions = [f"aspirin AND word{number}" for number in range(40)] + ["(", "a AND", "x[yy]"]

    async def outcomes(total_deadline: float) -> list[object]:
        settings = services.settings(
            attempt_timeout=2.0, total_deadline=total_deadline, concurrency=8
        )
        async with kind(settings) as engine:
            return await asyncio.gather(*(outcome(engine, each) for each in expressions))

    async def outcome(engine: PubMedEngine | TrialsEngine, expression: str) -> object:
        try:
            return await engine.search(expression, k=300)
        except QuerySyntaxError as error:
            return error.message, error.column
        except EngineUnavailable:
            return None

    expected = await outcomes(60.0)
    assert None not in expected
    services.strike(
        *(Inject(fault, probability=0.03, retry_after=0.01, stall=3.0) for fault in SERVICE_FAULTS)
    )
    assert await outcomes(60.0) == expected
    struck = services.stats().faults
    # Without time for a second attempt some are lost, and the others are what they were.
    hasty = await outcomes(0.02)
    assert all(got in (None, wanted) for got, wanted in zip(hasty, expected, strict=True))
    assert sum(struck.values()) >= 5


@BOTH
async def test_a_wait_that_is_asked_for_is_honoured(
    services: StandInServices, kind: Engine
) -> None:
    services.strike(Inject(Fault.RATE_LIMITED, times=1, retry_after=3600.0))
    assert (await found(services, kind, max_retry_after=0.05)).total
    services.strike(Inject(Fault.RATE_LIMITED, times=1, retry_after=3600.0))
    # It would end after the deadline: no use in waiting for it.
    with pytest.raises(EngineUnavailable):
        await found(services, kind, total_deadline=5.0, max_retry_after=7200.0)


@BOTH
async def test_a_service_that_is_not_there(kind: Engine) -> None:
    gone = StandInServices()
    gone.start()
    settings = gone.settings(total_deadline=2.0)
    gone.stop()
    async with kind(settings) as engine:
        with pytest.raises(EngineUnreachable, match="no connection"):
            await engine.search("aspirin", k=3)


@BOTH
async def test_another_server_at_the_address(services: StandInServices, kind: Engine) -> None:
    wrong = f"http://127.0.0.1:{services.port}/other"
    async with kind(services.settings(pubmed_url=wrong, trials_url=wrong)) as engine:
        with pytest.raises(EngineRefuses) as caught:
            await engine.search("aspirin", k=3)
    assert not caught.value.retryable
