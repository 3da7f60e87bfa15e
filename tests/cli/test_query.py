"""``leafward query``: hits, tables, and malformed expressions with their place."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.running import Leafward

from leafward.cli.exits import Exit
from leafward.testing import Fault, Inject, StandInServices
from leafward.types import Document

RECORDS = [
    Document("11", "Aspirin after stroke.", "Aspirin in adults", {"date": "2004-05-06"}),
    Document("12", "Aspirin for infants.", "Infants \x1b[31mand\x07 aspirin", {"date": "2009"}),
    Document("13", "Heparin.", "Heparin", {"date": "2011"}),
]


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> StandInServices:
    """A stand-in that is not started; its answers are kept in a cache of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NCBI_API_KEY", "")
    return StandInServices(RECORDS, [Document("NCT01", "Stroke study.", "Stroke")])


def reach(
    monkeypatch: pytest.MonkeyPatch, services: StandInServices, deadline: float = 30.0
) -> None:
    """Lead the commands that follow to a stand-in."""
    settings = services.settings(total_deadline=deadline)
    for name, value in settings.model_dump(exclude_unset=True).items():
        monkeypatch.setenv(f"LEAFWARD_ENGINES__{name.upper()}", str(value))


def test_pubmed(
    leafward: Leafward, services: StandInServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    with services:
        reach(monkeypatch, services)
        ran = leafward("query", "pubmed", "aspirin[tiab]", "-k", 5)
        assert ran.out.splitlines() == [
            "found: 2",
            "  12  Infants [31mand aspirin",
            "  11  Aspirin in adults",
        ]
        told = leafward("query", "pubmed", "aspirin[tiab]", "--k", 1, "--json").json
        assert told == {
            "engine": "pubmed",
            "syntax": "pubmed",
            "total": 2,
            "ids": ["12"],
            "scores": [1.0],
            "notes": [],
            "degraded": False,
            "table": None,
        }
        before = services.stats().requests
        assert leafward("query", "pubmed", "aspirin[tiab]", "--k", 1, "--json").json == told
        assert services.stats().requests == before


def test_trials(
    leafward: Leafward, services: StandInServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    with services:
        reach(monkeypatch, services)
        ran = leafward("query", "trials", "stroke")
        assert ran.out.splitlines() == ["found: 1", "  NCT01  Stroke"]


def test_notes_go_to_stderr(
    leafward: Leafward, services: StandInServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    with services:
        reach(monkeypatch, services)
        ran = leafward("query", "pubmed", "aspirin$")
        assert (ran.code, ran.out) == (Exit.OK, "found: 0\n")
        assert ran.err == "not found: aspirin$\n"
        assert leafward("query", "pubmed", "aspirin$", "-q").err == ""


def test_a_service_that_is_down(
    leafward: Leafward, services: StandInServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    with services:
        services.strike(Inject(Fault.SERVER_ERROR))
        reach(monkeypatch, services, deadline=0.5)
        ran = leafward("query", "pubmed", "aspirin", "--json")
    assert (ran.code, ran.out) == (Exit.MODEL, "")
    error = json.loads(ran.err)["error"]
    assert error["kind"] == "EngineUnavailable"
    assert error["retryable"]
    assert error["column"] is None


def test_a_malformed_expression_is_shown_with_its_place(leafward: Leafward, index: Path) -> None:
    ran = leafward("query", f"boolean:{index}", "cats AND\n(mice OR\t OR owls)")
    assert ran.code == Exit.INPUT
    assert ran.out == ""
    lines = ran.err.splitlines()
    assert lines[0] == "  (mice OR  OR owls)"
    assert lines[1] == "            ^"
    assert lines[2].startswith("leafward: column 20: ")
    assert lines[3].startswith("  hint: ")


def test_a_place_far_to_the_right(leafward: Leafward, index: Path) -> None:
    expression = "mouse OR " * 40 + "owl[xx] OR " + "cat OR " * 20 + "dog"
    ran = leafward("query", f"boolean:{index}", expression)
    line, caret = ran.err.splitlines()[:2]
    assert line[caret.index("^") :].startswith("[xx]")
    assert len(line) <= 80


def test_the_error_as_json_has_its_column(leafward: Leafward, index: Path) -> None:
    ran = leafward("query", f"boolean:{index}", "mouse[xx]", "--json")
    error = json.loads(ran.err)["error"]
    assert (error["kind"], error["column"], error["exit_code"]) == ("QuerySyntaxError", 6, 3)
    assert not error["message"].startswith("column")


def test_engines_over_an_index(leafward: Leafward, index: Path) -> None:
    ran = leafward("query", f"boolean:{index}", 'mice[tiab] AND "at night"')
    assert ran.out.splitlines()[0] == "found: 2"
    assert {line.split()[0] for line in ran.out.splitlines()[1:]} == {"cats", "owls"}
    for kind in ("bm25", "dense", "hybrid", "tree"):
        told = leafward("query", f"{kind}:{index}", "who hunts mice", "-k", 2, "--json").json
        assert set(told["ids"]) == {"cats", "owls"}
        assert told["syntax"] == "text"


def test_a_file_of_pubmed_becomes_an_index(leafward: Leafward, tmp_path: Path) -> None:
    articles = "".join(
        f"<PubmedArticle><MedlineCitation><PMID>{n}</PMID><Article><Journal><JournalIssue><PubDate>"
        f"<Year>{2000 + n}</Year></PubDate></JournalIssue></Journal><ArticleTitle>Aspirin {n}"
        "</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
        for n in range(1, 9)
    )
    data = f"<PubmedArticleSet>{articles}</PubmedArticleSet>".encode()
    (tmp_path / "pubmed24n0001.xml.gz").write_bytes(gzip.compress(data))
    made = leafward("index", "pubmed24n0001.xml.gz", "x.leafward", "-e", "lexical", "-q")
    assert made.code == Exit.OK, made.err
    ran = leafward("query", "boolean:x.leafward", "aspirin[ti] AND 2003:2004[dp]")
    assert ran.out.splitlines() == ["found: 2", "  4  Aspirin 4", "  3  Aspirin 3"]
    assert leafward("verify", "x.leafward").code == Exit.OK


def test_sql(leafward: Leafward, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE town (name TEXT, people INT, seal BLOB);"
            "INSERT INTO town VALUES ('Ulm', 3, x'00ff'), ('Bonn', NULL, NULL)"
        )
    ran = leafward("query", "sql:t.sqlite", "SELECT * FROM town ORDER BY people")
    assert [line.split() for line in ran.out.splitlines()] == [
        ["found:", "2", "rows"],
        ["name", "people", "seal"],
        ["Bonn", "NULL", "NULL"],
        ["Ulm", "3", "00ff"],
    ]
    told = leafward("query", "sql:t.sqlite", "SELECT *, 9e999 FROM town", "-k", 1, "--json").json
    assert told["ids"] == ["Ulm"]
    assert told["total"] == 2
    assert told["table"]["rows"] == [["Ulm", 3, "00ff", "inf"], ["Bonn", None, None, "inf"]]
    ran = leafward("query", "sql:t.sqlite", "DROP TABLE town")
    assert ran.code == Exit.INPUT
    assert ran.err.splitlines()[:2] == ["  DROP TABLE town", "  ^"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("elastic:x", "a"), Exit.USAGE),
        (("sql:none.sqlite", "SELECT 1"), Exit.USAGE),
        (("bm25:none", "a"), Exit.INDEX),
        (("pubmed", "a", "-k", "0"), Exit.USAGE),
    ],
)
def test_wrong_arguments(leafward: Leafward, arguments: tuple[str, ...], code: Exit) -> None:
    ran = leafward("query", *arguments)
    assert ran.code == code
    assert "hint:" in ran.err
