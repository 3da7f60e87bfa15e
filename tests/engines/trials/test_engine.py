"""ClinicalTrials.gov over real HTTP, from a stand-in; and, when asked for, the service itself."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from datetime import date

import pytest

from leafward.engines.services import Response
from leafward.engines.trials import TrialsEngine
from leafward.engines.trials.answers import identity, read_page
from leafward.errors import EngineRefuses, EngineUnavailable, LeafwardError, QuerySyntaxError
from leafward.testing import StandInServices
from leafward.types import Document

STUDIES = [
    Document(
        f"NCT{number:08}",
        "Stroke is treated." if number % 2 else "Migraine is treated.",
        f"Study {number}",
        {"date": f"{2000 + number // 100}-06-01", "conditions": ("Pain",)},
    )
    for number in range(2500)
]


@pytest.fixture(scope="module")
def services() -> Iterator[StandInServices]:
    with StandInServices(studies=STUDIES) as services:
        yield services


@pytest.fixture
async def engine(services: StandInServices) -> AsyncIterator[TrialsEngine]:
    async with TrialsEngine(services.settings()) as engine:
        yield engine


@pytest.mark.parametrize("k", [0, 1, 999, 1000, 1001, 5000])
async def test_pages(engine: TrialsEngine, services: StandInServices, k: int) -> None:
    assert (engine.name, engine.syntax) == ("trials", "trials")
    services.reset()
    found = await engine.search("treated", k=k)
    assert found.total == 2500
    assert len({hit.doc_id for hit in found.hits}) == len(found.hits) == min(k, 2500)
    assert services.stats().requests == max(1, -(-min(k, 2500) // 1000))


async def test_operators_and_signs(engine: TrialsEngine) -> None:
    assert (await engine.search("(stroke OR migraine) AND treated", k=1)).total == 2500
    assert (await engine.search('stroke AND "migraine is"', k=1)).total == 0
    assert (await engine.search("a&b=c;d%20é+f", k=5)).total == 0


async def test_only_what_was_posted_in_time(services: StandInServices) -> None:
    async with TrialsEngine(services.settings(), posted_until=date(2004, 12, 31)) as engine:
        assert (await engine.search("treated", k=1)).total == 500


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ("", 1),
        ("stroke [ti]", 8),
        ("stroke AND (migraine", 12),
        ("stroke)", 7),
        ("stroke AND ", 8),
    ],
)
async def test_malformed(engine: TrialsEngine, expression: str, column: int) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        await engine.search(expression, k=5)
    assert caught.value.column == column
    assert caught.value.hint


async def test_titles_and_records(engine: TrialsEngine) -> None:
    ids = ["NCT00000007", "NCT99999999", "no, such", "NCT00000002"]
    assert await engine.titles(ids) == ["Study 7", "", "", "Study 2"]
    records = await engine.records(ids)
    assert [record.id for record in records] == ["NCT00000007", "NCT00000002"]
    assert records[0].text == "Stroke is treated."
    assert records[0].metadata["conditions"] == ("Pain",)
    many = [study.id for study in STUDIES[:230]]
    assert await engine.titles(many) == [study.title for study in STUDIES[:230]]
    assert await engine.titles([]) == []


EXPECTED = "{<EOF>, '(', ',', 'NOT', 'AND', 'OR', 'SEARCH', 'AREA', 'RANGE', WORD}"


@pytest.mark.parametrize(
    ("status", "text", "expression", "column"),
    [
        (
            400,
            "Error parsing query in Other terms: no viable alternative at input 'b OATP ['\n"
            f"mismatched input '[' expecting {EXPECTED}",
            "a b OATP [diag:0]",
            10,
        ),
        (
            400,
            f"Error parsing query in Other terms: mismatched input '[' expecting {EXPECTED}",
            "diabetes [type 2]",
            10,
        ),
        (400, "Error parsing query in Other terms: missing ')' at '<EOF>'", "(stroke", 8),
        (400, "Error parsing query in Other terms: mismatched input '<EOF>' expecting", "a OR", 5),
        (400, "Error parsing query in Other terms: extraneous input ')' expecting", "a ) b", 3),
        (400, "Error parsing query in Other terms: something new", "a ) b", None),
        (400, "Too complicated query", "a " * 900, None),
        (414, "<html>URI Too Long</html>", "a " * 9000, None),
    ],
)
def test_what_the_service_says_of_an_expression(
    status: int, text: str, expression: str, column: int | None
) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        read_page(Response(status, text), expression)
    assert caught.value.column == column
    assert "expecting" not in caught.value.message


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (Response(400, "`filter.phase` is unknown parameter"), EngineRefuses),
        (Response(404, "<html></html>"), EngineRefuses),
        (Response(200, "<html></html>"), EngineUnavailable),
        (Response(200, '{"studies": 3}'), EngineUnavailable),
        (Response(200, '{"error": "x"}'), EngineUnavailable),
    ],
)
def test_trouble_is_never_the_expression_s_fault(
    response: Response, kind: type[LeafwardError]
) -> None:
    with pytest.raises(kind) as caught:
        read_page(response, "stroke")
    assert type(caught.value) is kind
    assert caught.value.hint


def test_a_study_without_a_number() -> None:
    with pytest.raises(EngineUnavailable):
        identity({"protocolSection": {"identificationModule": {"briefTitle": "x"}}})


@pytest.mark.live
async def test_the_service_itself() -> None:
    if not os.environ.get("LEAFWARD_LIVE"):
        pytest.skip("asks a real service: set LEAFWARD_LIVE=1")
    async with TrialsEngine(posted_until=date(2020, 12, 31)) as engine:
        found = await engine.search("aspirin AND stroke", k=30)
        assert found.total is not None
        assert found.total > 100
        ids = [hit.doc_id for hit in found.hits[:3]]
        assert all(await engine.titles(ids))
        assert [record.id for record in await engine.records(ids)] == ids
        with pytest.raises(QuerySyntaxError):
            await engine.search("stroke [ti]", k=5)
