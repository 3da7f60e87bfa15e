"""Engines by name over an index."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.library.samples import corpus, settings

import leafward
from leafward.engines.boolean import BooleanEngine
from leafward.errors import EngineUnavailable, IndexNotFound, QuerySyntaxError, SettingsError
from leafward.library.engines import open_engine, parse_engine
from leafward.library.engines.opened import SqlFile
from leafward.protocols import TableEngine
from leafward.testing import Fault, Inject, ScriptedServer, rules, word_overlap
from leafward.types import Ranking


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "topics.leafward"
    leafward.build(corpus(), path, settings=settings()).close()
    return path


async def found(name: str, expression: str, k: int = 5) -> Ranking:
    async with open_engine(name, settings=settings()) as engine:
        return await engine.search(expression, k=k)


async def test_boolean_over_an_index(index: Path) -> None:
    ranking = await found(f"boolean:{index}", "estuary[tiab] NOT basin", k=100)
    expected = {
        document.id
        for document in corpus()
        if "estuary" in document.full_text and "basin" not in document.full_text
    }
    assert expected
    assert {hit.doc_id for hit in ranking.hits} == expected
    assert ranking.total == len(expected)


@pytest.mark.parametrize("kind", ["bm25", "dense", "hybrid", "tree"])
async def test_methods_over_an_index(index: Path, kind: str) -> None:
    async with open_engine(f"{kind}:{index}", settings=settings()) as engine:
        assert engine.name == f"{kind}:{index}"
        assert engine.syntax == "text"
        ranking = await engine.search("the flour and the yeast in the dough", k=3)
        ids = [hit.doc_id for hit in ranking.hits]
        assert [doc_id.split("-")[0] for doc_id in ids] == ["bread"] * 3
        assert await engine.titles(ids) == [
            f"Bread {doc_id.removeprefix('bread-')}" for doc_id in ids
        ]


@pytest.mark.parametrize("kind", ["boolean", "bm25", "dense", "hybrid", "tree"])
@pytest.mark.parametrize("k", [0, 10**9])
async def test_none_and_more_than_there_are(index: Path, kind: str, k: int) -> None:
    ranking = await found(f"{kind}:{index}", "flour", k=k)
    assert len(ranking.hits) <= (0 if k == 0 else len(corpus()))
    assert bool(ranking.hits) is bool(k)


@pytest.mark.parametrize("kind", ["boolean", "bm25", "dense", "hybrid", "tree"])
async def test_a_blank_expression_is_the_query_s_fault(index: Path, kind: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        await found(f"{kind}:{index}", "  ")
    assert caught.value.column == 1


async def test_a_malformed_expression_names_its_column(index: Path) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        await found(f"boolean:{index}", "river AND (bank")
    assert caught.value.column == 11


async def test_boolean_over_a_plain_folder(tmp_path: Path) -> None:
    BooleanEngine.build(tmp_path / "words", corpus(2))
    async with open_engine(f"boolean:{tmp_path / 'words'}") as engine:
        ranking = await engine.search("telescope", k=5)
        assert {hit.doc_id for hit in ranking.hits} == {"stars-0"}
        assert await engine.titles(["stars-0"]) == [""]


async def test_sql_over_a_file(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "towns.sqlite")) as connection:
        connection.executescript("CREATE TABLE town (name TEXT); INSERT INTO town VALUES ('Ulm')")
    async with open_engine(f"sql:{tmp_path / 'towns.sqlite'}") as engine:
        assert engine.syntax == "sql"
        assert [hit.doc_id for hit in (await engine.search("SELECT * FROM town", k=3)).hits] == [
            "Ulm"
        ]
        assert isinstance(engine, SqlFile)
        assert engine.schema == "town(name text)"
        assert (await engine.table("SELECT 1 AS one")).columns == ("one",)
        tables: TableEngine = engine
        assert tables.syntax == "sql"


async def test_a_model_that_gives_out_is_our_fault(index: Path) -> None:
    judge = [rules.oracle_judge(word_overlap)]
    with ScriptedServer(rules=judge, faults=[Inject(Fault.UNAVAILABLE)]) as server:
        configured = settings(server.base_url).model_copy(
            update={
                "models": settings(server.base_url).models.model_copy(
                    update={"total_deadline": 0.3, "retry_wait": 0.01}
                )
            }
        )
        async with open_engine(f"tree:{index}", model="openai:any", settings=configured) as engine:
            with pytest.raises(EngineUnavailable) as caught:
                await engine.search("court judge appeal", k=3)
    assert caught.value.hint
    assert caught.value.retryable


async def test_engines_work_side_by_side(index: Path) -> None:
    async with open_engine(f"boolean:{index}") as engine:
        rankings = await asyncio.gather(*(engine.search("valve", k=100) for _ in range(20)))
    assert len({ranking.total for ranking in rankings}) == 1


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("elastic:papers", "no engine"),
        ("boolean", "says not where"),
        ("sql:", "says not where"),
        ("pubmed:x", "takes no path"),
        ("", "no engine"),
    ],
)
def test_wrong_names(name: str, word: str) -> None:
    with pytest.raises(SettingsError, match=word) as caught:
        parse_engine(name)
    assert caught.value.hint


def test_names_are_read_and_written() -> None:
    for name in ("boolean:a b/c:d.leafward", "pubmed", "trials", "sql:x.sqlite"):
        assert str(parse_engine(name)) == name
    assert parse_engine(" PubMed ").kind == "pubmed"


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound):
        open_engine(f"bm25:{tmp_path / 'none'}")
