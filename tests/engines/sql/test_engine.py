"""SQL over a file that is only read: answers, refusals, limits."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import data_set

from leafward.engines.sql import SqlEngine, SqlLimits
from leafward.engines.sql.words import orders, tokens
from leafward.errors import EngineUnavailable, QuerySyntaxError, SettingsError
from leafward.types import Hit

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sql") / "towns.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            CREATE TABLE town (name TEXT PRIMARY KEY, people INTEGER, "odd name" REAL);
            CREATE TABLE twin (a TEXT REFERENCES town (name), b TEXT REFERENCES town);
            INSERT INTO town VALUES ('Ulm', 120, 1.5), ('Bonn', 330, NULL), ('Kiel', 250, 2.0),
              (NULL, 1, NULL);
            INSERT INTO twin VALUES ('Ulm', 'Bonn');
            CREATE VIEW large AS SELECT name FROM town WHERE people > 200;
            CREATE VIRTUAL TABLE page USING fts5 (title, body);
            INSERT INTO page VALUES ('Ulm', 'a minster on the Danube'), ('Kiel', 'a harbour');
            """
        )
    return path


@pytest.fixture
def engine(file: Path) -> SqlEngine:
    return SqlEngine.open(file)


def test_a_table(engine: SqlEngine) -> None:
    table = engine.read("SELECT name, people FROM town WHERE people > 100 ORDER BY people DESC;")
    assert table.columns == ("name", "people")
    assert table.rows == (("Bonn", 330), ("Kiel", 250), ("Ulm", 120))
    assert table.ordered
    assert not table.truncated


async def test_a_table_as_a_ranking(engine: SqlEngine) -> None:
    expression = (
        "SELECT name FROM (SELECT name, people FROM town UNION ALL SELECT a, 9 FROM twin)"
        " ORDER BY people"
    )
    ranking = await engine.search(expression, k=2)
    assert ranking.hits == (Hit("Ulm", 1.0), Hit("Kiel", 0.5))
    assert ranking.total == 3  # Ulm once, and NULL is no document
    numbers = await engine.search("SELECT people FROM town WHERE name = 'Ulm'", k=5)
    assert numbers.hits == (Hit("120", 1.0),)


def test_views_and_full_text_are_read(engine: SqlEngine) -> None:
    assert {row[0] for row in engine.read("SELECT name FROM large").rows} == {"Bonn", "Kiel"}
    found = engine.read("SELECT title FROM page WHERE page MATCH 'danube' ORDER BY rank")
    assert found.rows == (("Ulm",),)
    assert engine.read("SELECT value FROM json_each('[1, 2]')").rows == ((1,), (2,))


def test_the_schema(engine: SqlEngine) -> None:
    assert engine.schema.splitlines() == [
        "large(name text)",
        "page(title, body)",
        'town(name text, people integer, "odd name" real)',
        "twin(a text, b text) b->town a->town.name",
    ]


@pytest.mark.parametrize(
    ("expression", "reason", "column"),
    [
        ("DELETE FROM town", "'DELETE' is refused", 1),
        (" ; ", "empty", 1),
        ("", "empty", 1),
        ("ATTACH 'other.sqlite' AS other", "'ATTACH' is refused", 1),
        ("PRAGMA journal_mode = DELETE", "'PRAGMA' is refused", 1),
        ("VACUUM INTO 'copy.sqlite'", "'VACUUM' is refused", 1),
        ("EXPLAIN SELECT 1", "'EXPLAIN' is refused", 1),
        ("SELECT 1; DROP TABLE town", "second statement", 11),
        ("WITH x AS (SELECT 1) DELETE FROM town", "DELETE is refused", None),
        ("WITH x AS (SELECT 1) UPDATE town SET people = 0", "UPDATE is refused", None),
        ("WITH x AS (SELECT 1) INSERT INTO twin VALUES ('a', 'b')", "INSERT is refused", None),
        ("SELECT * FROM pragma_table_info('town')", "refused", None),
        ("SELECT * FROM dbstat", "refused", None),
        ("SELECT load_extension('evil')", "runs code", None),
        ("SELECT random()", "differs from run to run", None),
        ("SELECT * FORM town", 'near "FORM"', 10),
        ("SELECT FROM FROM town", 'near "FROM"', 8),
        ("SELECT nme FROM town", "no such column: nme", 8),
        ("SELECT t.nme FROM town t", "no such column: t.nme", 10),
        ("SELECT name FROM twon", "no such table: twon", 18),
        ("SELECT foo(1)", "no such function: foo", 8),
        ("SELECT name FROM town WHERE (", "incomplete input", 30),
        ("SELECT 'open", "unrecognized token", 8),
        ("SELECT name FROM town WHERE name = ?", "parameter", 36),
        ("SELECT name FROM town WHERE name = :n", "parameter", 36),
        ("SELECT 'a\0b'", "no text holds", 10),
        ("SELECT '\ud800'", "no text holds", 9),
        ("SELECT " + "(" * 300 + "1" + ")" * 300, "overflow|depth", None),
        ("SELECT 1" + " " * 20_000, "more than 20,000 characters", 20_001),
        ("SELECT hex(zeroblob(150000))", "longer than", None),
        ("SELECT abs(-9223372036854775808)", "overflow", None),
    ],
)
def test_refusals(engine: SqlEngine, expression: str, reason: str, column: int | None) -> None:
    before = hashlib.sha256(engine.path.read_bytes()).digest()
    with pytest.raises(QuerySyntaxError, match=reason) as caught:
        engine.read(expression)
    assert caught.value.column == column
    assert caught.value.hint
    assert hashlib.sha256(engine.path.read_bytes()).digest() == before
    assert {path.name for path in engine.path.parent.iterdir()} == {engine.path.name}


def test_endless_statements_are_stopped(file: Path) -> None:
    engine = SqlEngine.open(file, SqlLimits(steps=200_000))
    with pytest.raises(QuerySyntaxError, match="more than 200,000 steps"):
        engine.read(ENDLESS + "SELECT count(*) FROM c")
    with pytest.raises(QuerySyntaxError, match="steps"):
        engine.read("SELECT count(*) FROM town a, " + ", ".join(f"town t{n}" for n in range(12)))
    assert engine.read("SELECT 1").rows == ((1,),)


def test_rows_and_bytes_are_limited(file: Path) -> None:
    engine = SqlEngine.open(file, SqlLimits(rows=250, bytes=10_000))
    numbers = engine.read(ENDLESS + "SELECT x FROM c")
    assert numbers.truncated
    assert numbers.rows == tuple((x,) for x in range(1, 251))
    texts = engine.read(ENDLESS + "SELECT printf('%1000d', x) FROM c")
    assert texts.truncated
    assert len(texts.rows) == 10
    exact = engine.read(ENDLESS + "SELECT x FROM c LIMIT 250")
    assert not exact.truncated


async def test_a_ranking_that_was_cut_off_knows_no_total(file: Path) -> None:
    engine = SqlEngine.open(file, SqlLimits(rows=5))
    ranking = await engine.search(ENDLESS + "SELECT x FROM c", k=3)
    assert [hit.doc_id for hit in ranking.hits] == ["1", "2", "3"]
    assert ranking.total is None


def test_the_clock_is_our_fault(file: Path) -> None:
    engine = SqlEngine.open(file, SqlLimits(seconds=0.0))
    with pytest.raises(EngineUnavailable, match="stopped after 0 seconds"):
        engine.read(ENDLESS + "SELECT count(*) FROM c")


async def test_a_cancelled_statement_ends(file: Path) -> None:
    engine = SqlEngine.open(file, SqlLimits(steps=10**12, seconds=3600))
    task = asyncio.ensure_future(engine.table(ENDLESS + "SELECT count(*) FROM c"))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # The thread has ended too, or closing the loop's threads would wait for an hour.
    await asyncio.get_running_loop().shutdown_default_executor()


def test_a_file_that_broke_is_our_fault(tmp_path: Path, file: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(file.read_bytes())
    engine = SqlEngine.open(copy)
    copy.write_bytes(b"\0" * 8192)
    with pytest.raises(EngineUnavailable):
        engine.read("SELECT name FROM town")
    copy.unlink()
    with pytest.raises(EngineUnavailable):
        engine.read("SELECT name FROM town")
    assert not copy.exists()


def test_what_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no database"):
        SqlEngine.open(tmp_path / "none.sqlite")
    (tmp_path / "text.sqlite").write_text("not a database, but long enough to be read as one " * 9)
    with pytest.raises(SettingsError, match="cannot be read"):
        SqlEngine.open(tmp_path / "text.sqlite")


def test_a_file_where_nothing_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "still" / "wal.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (7)"
        )
    path.parent.chmod(0o555)
    try:
        assert SqlEngine.open(path).read("SELECT x FROM t").rows == ((7,),)
    finally:
        path.parent.chmod(0o755)


def test_names_with_marks_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "what? #1.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (CAST(x'ff41' AS TEXT))")
    assert SqlEngine.open(path).read("SELECT x FROM t").rows == (("�A",),)


@pytest.mark.parametrize(
    ("sql", "ordered"),
    [
        ("SELECT x FROM t ORDER BY x", True),
        ("SELECT x FROM t order  /* so */ by x LIMIT 3", True),
        ("SELECT x FROM (SELECT x FROM t ORDER BY x LIMIT 3)", False),
        ("SELECT 'order by' FROM t -- order by", False),
        ('SELECT "order" by FROM t', False),
        ("SELECT max(x) OVER (ORDER BY y) FROM t", False),
    ],
)
def test_whether_a_statement_orders(sql: str, ordered: bool) -> None:
    assert orders(list(tokens(sql))) is ordered


@given(st.text(max_size=60))
def test_any_text_has_tokens_that_lie_in_it(text: str) -> None:
    read = list(tokens(text))
    assert all(text[token.start : token.end] == token.text for token in read)
    assert all(a.end <= b.start for a, b in pairwise(read))


WORDS = (
    *("SELECT", "*", "FROM", "town", "name", ",", "(", ")", "WHERE", "=", "'x'", "1", ";"),
    *("ORDER", "BY", "UNION", "--", "\n", "DELETE", "?", '"', "count"),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.sampled_from(WORDS), max_size=12))
def test_any_statement_answers_or_is_refused_with_a_reason(
    engine: SqlEngine, parts: list[str]
) -> None:
    expression = " ".join(parts)
    try:
        engine.read(expression)
    except QuerySyntaxError as error:
        assert error.message
        assert error.hint
        assert error.column is None or 1 <= error.column <= len(expression) + 1


@pytest.mark.real_data
def test_every_gold_query_that_runs_gives_its_rows() -> None:
    folder = data_set("sql_geography")
    engine = SqlEngine.open(folder / "geography.sqlite")
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    ran = 0
    for question in questions:
        if question["status"] == "error":
            with pytest.raises(QuerySyntaxError):
                engine.read(question["sql"])
            continue
        table = engine.read(question["sql"])
        assert len(table.rows) == question["n_result_rows"]
        assert not table.truncated
        ran += 1
    assert ran == 872
