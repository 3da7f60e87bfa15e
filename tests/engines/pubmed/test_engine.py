"""PubMed over real HTTP, from a stand-in; and, when asked for, PubMed itself."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Iterator
from datetime import date
from pathlib import Path

import pytest

from leafward.engines.boolean import BooleanEngine
from leafward.engines.pubmed import Dates, PubMedEngine
from leafward.errors import QuerySyntaxError, SettingsError
from leafward.store import CallCache
from leafward.testing import StandInServices
from leafward.types import Document

KEY = "s3cret-key"
RECORDS = [
    Document(
        str(100 + number),
        f"Aspirin given to {number} patients after {'stroke' if number % 3 else 'surgery'}.",
        f"Trial {number} & more",
        {"date": f"{2000 + number % 20}-{1 + number % 12:02}-{1 + number % 28:02}"},
    )
    for number in range(250)
]


@pytest.fixture(scope="module")
def services() -> Iterator[StandInServices]:
    with StandInServices(RECORDS, key=KEY) as services:
        yield services


@pytest.fixture
async def engine(services: StandInServices) -> AsyncIterator[PubMedEngine]:
    async with PubMedEngine(services.settings()) as engine:
        yield engine


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> BooleanEngine:
    folder = tmp_path_factory.mktemp("local") / "index"
    BooleanEngine.build(folder, RECORDS)
    return BooleanEngine.open(folder)


@pytest.mark.parametrize("k", [0, 1, 7, 3000])
async def test_the_same_as_the_local_engine(
    engine: PubMedEngine, local: BooleanEngine, k: int
) -> None:
    assert (engine.name, engine.syntax) == ("pubmed", local.syntax)
    for expression in (
        "aspirin[tiab] AND stroke",
        '"after surgery"',
        "nothing[ti]",
        "aspirin & stroke + c=d%20é;",
    ):
        found, expected = await engine.search(expression, k=k), local.find(expression, k=k)
        assert found.total == expected.total
        assert [hit.doc_id for hit in found.hits] == [hit.doc_id for hit in expected.hits]
        assert [hit.score for hit in found.hits] == [1 / (n + 1) for n in range(len(found.hits))]


async def test_only_what_was_published_in_time(engine: PubMedEngine, local: BooleanEngine) -> None:
    published = Dates(date(2005, 3, 1), date(2009, 2, 28))
    found = await engine.search("stroke", k=1000, published=published)
    expected = local.find("stroke AND 2005/03/01:2009/02/28[dp]", k=1000)
    assert expected.total
    assert [hit.doc_id for hit in found.hits] == [hit.doc_id for hit in expected.hits]


async def test_the_engine_s_own_days(services: StandInServices, local: BooleanEngine) -> None:
    published = Dates(last=date(2003, 12, 31))
    async with PubMedEngine(services.settings(), published=published) as engine:
        found = await engine.search("stroke OR surgery", k=1000)
    assert found.total == local.find("1700:2003[dp]", k=1).total


async def test_by_relevance(services: StandInServices, local: BooleanEngine) -> None:
    async with PubMedEngine(services.settings(), order="relevance") as engine:
        found = await engine.search("stroke", k=20)
        expected = local.find("stroke", k=20, order="relevance")
        assert [hit.doc_id for hit in found.hits] == [hit.doc_id for hit in expected.hits]
        with pytest.raises(SettingsError, match="9,999"):
            await engine.search("stroke", k=10_000)


@pytest.mark.parametrize(
    ("expression", "column"),
    [("", 1), (" \n", 1), ("a\0b", 2), ("(aspirin", 1), ("aspirin[xx]", 8), ('"aspirin', 1)],
)
async def test_malformed(engine: PubMedEngine, expression: str, column: int) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        await engine.search(expression, k=5)
    assert caught.value.column == column
    assert caught.value.hint


async def test_what_was_not_found_is_said(engine: PubMedEngine) -> None:
    found = await engine.search("aspirin$", k=5)
    assert (found.total, found.notes) == (0, ("not found: aspirin$",))


async def test_titles_and_records(engine: PubMedEngine) -> None:
    ids = ["117", "999999", "x; DROP", "103"]
    assert await engine.titles(ids) == ["Trial 17 & more", "", "", "Trial 3 & more"]
    records = await engine.records(ids)
    assert [(record.id, record.text) for record in records] == [
        ("117", RECORDS[17].text),
        ("103", RECORDS[3].text),
    ]
    many = [document.id for document in RECORDS]
    assert await engine.titles(many) == [document.title for document in RECORDS]
    assert [record.id for record in await engine.records(many)] == many


async def test_beyond_what_one_search_gives_out() -> None:
    """11,500 records, 10,500 of them of one day: more than one search gives out of either."""
    records = [Document(str(n), "aspirin", "", {"date": "2004"}) for n in range(1, 10_501)]
    records += [
        Document(str(n), "aspirin", "", {"date": f"20{10 + n % 10}-0{1 + n % 9}"})
        for n in range(20_000, 21_000)
    ]
    dates = {record.id: str(record.metadata["date"])[:4] for record in records}
    with StandInServices(records) as services:
        async with PubMedEngine(services.settings()) as engine:
            found = await engine.search("aspirin OR nothing", k=20_000)
            assert found.total == 11_500
            assert found.notes == ()
            ids = [hit.doc_id for hit in found.hits]
            assert set(ids) == dates.keys()
            assert len(ids) == 11_500
            years = [dates[doc_id] for doc_id in ids]
            assert years == sorted(years, reverse=True)
            first = await engine.search("aspirin OR nothing", k=10_000)
            assert {hit.doc_id for hit in first.hits} < set(ids)
            assert len(first.hits) == 10_000
            assert [hit.doc_id for hit in first.hits[:1000]] == ids[:1000]


async def test_the_key_is_sent_and_told_to_nobody(
    services: StandInServices,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("NCBI_API_KEY", KEY)
    with CallCache(tmp_path / "cache.sqlite") as cache:
        async with PubMedEngine(services.settings(email="me@example.org"), cache=cache) as engine:
            assert (await engine.search("stroke", k=1)).total
            with pytest.raises(QuerySyntaxError) as caught:
                await engine.search("stroke[xx]", k=1)
        shown = f"{engine!r} {vars(engine)!r} {caught.value!r} {caplog.text}"
    assert KEY not in shown
    kept = _contents(tmp_path)
    assert b"stroke" in kept
    assert KEY.encode() not in kept
    assert b"me@example.org" not in kept


def _contents(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_a_wrong_key(services: StandInServices) -> None:
    wrong = services.settings(ncbi_api_key="wr0ng")
    async with PubMedEngine(wrong) as engine:
        with pytest.raises(SettingsError, match="does not know the key") as caught:
            await engine.search("stroke", k=1)
    assert "wr0ng" not in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.live
async def test_pubmed_itself() -> None:
    if not os.environ.get("LEAFWARD_LIVE"):
        pytest.skip("asks a real service: set LEAFWARD_LIVE=1")
    until = Dates(last=date(2020, 12, 31))
    async with PubMedEngine(published=until) as engine:
        found = await engine.search('aspirin[ti] AND "myocardial infarction"[mh]', k=50)
        assert found.total is not None
        assert found.total > 1000
        assert len(found.hits) == 50
        ids = [hit.doc_id for hit in found.hits[:3]]
        assert all("spirin" in title for title in await engine.titles(ids))
        assert [record.id for record in await engine.records(ids)] == ids
        assert (await engine.search("16354850[pmid]", k=5)).total == 1
        with pytest.raises(QuerySyntaxError):
            await engine.search("aspirin[xyzzy]", k=5)
