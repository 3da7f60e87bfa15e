"""``leafward write``: expressions with their counts, hits, problems, and what failed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import Leafward
from tests.writing.fakes import answer

from leafward.cli.exits import Exit
from leafward.testing import (
    ChatRequest,
    Fault,
    Inject,
    Reply,
    ScriptedServer,
    StandInServices,
    rules,
)
from leafward.types import Document


@pytest.fixture(autouse=True)
def places(leafward: Leafward, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A key that is none, and a cache of this test alone."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def served(*texts: str) -> ScriptedServer:
    rule = [rules.in_turn(texts), rules.canned({"": texts[-1]})]
    return ScriptedServer(rules=rule)


def arguments(server: ScriptedServer, engine: object, *more: object) -> list[object]:
    return ["write", "who hunts at night?", "--engine", engine, "-m", "openai:any", "--base-url",
            server.base_url, *more]  # fmt: skip


def test_an_expression_is_written_and_counted(leafward: Leafward, index: Path) -> None:
    with served(answer("hunt AND (owls OR cats) AND night", thought="two \x1b[31mhunters")) as it:
        ran = leafward(*arguments(it, f"boolean:{index}"))
    assert ran.code == Exit.OK
    assert ran.out.splitlines() == [
        "thought: two [31mhunters",
        "expression: hunt AND (owls OR cats) AND night",
        "found: 2",
    ]
    assert "1 call" in ran.err


def test_hits_are_shown_where_they_are_asked_for(leafward: Leafward, index: Path) -> None:
    with served(answer("hunt AND night")) as server:
        ran = leafward(*arguments(server, f"boolean:{index}", "--run", "-k", 1, "-q"))
    assert ran.out.splitlines()[-2:] == ["found: 2", "  cats  Cats"]
    assert ran.err == ""


def test_json_tells_all_of_it(leafward: Leafward, index: Path) -> None:
    with served(answer("hunt AND night", thought="both")) as server:
        told = leafward(*arguments(server, f"boolean:{index}", "--run", "--json")).json
    assert told["hits"] == [
        {"doc_id": "cats", "title": "Cats", "score": 0.0},
        {"doc_id": "owls", "title": "Owls", "score": 0.0},
    ]
    assert (told["reasoning"], told["expression"]) == ("both", "hunt AND night")
    assert (told["well_formed"], told["problems"], told["total"]) == (True, [], 2)
    assert told["usage"]["calls"] == 1
    assert (told["engine"], told["syntax"]) == (f"boolean:{index}", "pubmed")
    assert (told["notes"], told["table"], told["failure"]) == ([], None, "")
    assert told["candidates"] == [
        {"expression": "hunt AND night", "well_formed": True, "problems": [], "total": 2}
    ]


def test_without_run_no_hits(leafward: Leafward, index: Path) -> None:
    with served(answer("hunt")) as server:
        told = leafward(*arguments(server, f"boolean:{index}", "--json")).json
        assert (told["total"], told["hits"]) == (2, [])
        text = leafward(*arguments(server, f"bm25:{index}", "--json")).json
        assert (text["total"], text["hits"]) == (None, [])


def test_an_answer_is_not_paid_twice(leafward: Leafward, index: Path) -> None:
    with served(answer("hunt")) as server:
        first = leafward(*arguments(server, f"boolean:{index}", "--json")).json
        again = leafward(*arguments(server, f"boolean:{index}", "--json")).json
        assert server.stats().requests == 1
    assert first["expression"] == again["expression"]
    assert (again["usage"]["calls"], again["usage"]["cache_hits"]) == (0, 1)


def test_problems_are_named(leafward: Leafward, index: Path) -> None:
    with served(answer("hunt AND OR night")) as server:
        ran = leafward(*arguments(server, f"boolean:{index}"))
    assert "  problem: syntax-error, column 10: OR stands right after AND" in ran.out
    with served('{"query": "hunt"}') as server:
        told = leafward(*arguments(server, f"boolean:{index}", "--json")).json
    assert [each["kind"] for each in told["problems"]] == ["missing-tag"] * 4
    assert (told["well_formed"], told["expression"], told["total"]) == (False, "hunt", 2)


def test_the_best_of_several(leafward: Leafward, index: Path) -> None:
    texts = [answer(each) for each in ("warm", "hunt AND OR", "soup AND rain", "a OR the OR in")]
    with served(*texts) as server:
        options = ["--candidates", 4, "--least", 2, "--most", 2]
        ran = leafward(*arguments(server, f"boolean:{index}", *options))
    assert "expression: warm" in ran.out
    assert "tried 4:" in ran.out
    assert "refused  hunt AND OR" in ran.out
    assert "        0  soup AND rain" in ran.out


def test_a_baseline_needs_no_model(leafward: Leafward, index: Path) -> None:
    asked = ["write", "I: night hunt", "--engine", f"boolean:{index}", "--method", "three-words"]
    told = leafward(*asked, "--run", "--json").json
    assert (told["expression"], told["total"], told["usage"]["calls"]) == ("night AND hunt", 2, 0)


def test_a_pico_question_reaches_the_model_in_parts(leafward: Leafward, index: Path) -> None:
    asked: list[ChatRequest] = []

    def look(request: ChatRequest) -> Reply:
        asked.append(request)
        return Reply('owls"}')

    need = "P: mice; I: owls; C: cats; O: fear"
    chosen = ["--engine", f"boolean:{index}", "-m", "openai:any", "--no-reasoning", "--prefill"]
    with ScriptedServer(rules=[look]) as server:
        ran = leafward("write", need, *chosen, "--base-url", server.base_url)
    assert "expression: owls" in ran.out
    (request,) = asked
    told = {"patient or problem": "mice", "intervention": "owls"}
    assert json.loads(request.messages[-2][1]) == told | {"comparison": "cats", "outcome": "fear"}
    assert request.messages[-1] == ("assistant", '<answer>{"query": "')
    assert "<think>" not in request.prompt


def test_a_database_is_shown_as_a_table(leafward: Leafward, tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    path = tmp_path / "hunters.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE hunter (name TEXT, night INT)")
        connection.execute("INSERT INTO hunter VALUES ('owl', 1), ('hawk', 0)")
        connection.commit()
    with served(answer("SELECT name FROM hunter WHERE night", key="sql")) as server:
        ran = leafward(*arguments(server, f"sql:{path}", "--run"))
        assert ran.out.splitlines()[-3:] == ["found: 1 row", "name", "owl"]
        told = leafward(*arguments(server, f"sql:{path}", "--run", "--json")).json
    assert told["table"] == {"columns": ["name"], "rows": [["owl"]], "truncated": False}
    assert told["total"] == 1


def test_an_engine_that_is_down_does_not_lose_the_expression(
    leafward: Leafward, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Document("11", "Owls hunt at night.", "Owls", {"date": "2004"})
    down = StandInServices([record], [], faults=[Inject(Fault.SERVER_ERROR)])
    with served(answer("owls[ti]")) as server, down as services:
        for name, value in (
            services.settings(total_deadline=0.3).model_dump(exclude_unset=True).items()
        ):
            monkeypatch.setenv(f"LEAFWARD_ENGINES__{name.upper()}", str(value))
        ran = leafward(*arguments(server, "pubmed", "--run", "--json"))
        counted = leafward(*arguments(server, "pubmed"))
    assert ran.code == Exit.MODEL
    assert (ran.json["expression"], ran.json["total"]) == ("owls[ti]", None)
    assert ran.json["failure"]
    assert counted.code == Exit.OK
    assert "expression: owls[ti]" in counted.out
    assert "the engine gave no answer" in counted.err


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--engine", "nowhere"], "no engine 'nowhere'"),
        (["--engine", "boolean:{index}"], "needs a language model"),
        (["--engine", "boolean:{index}", "--least", "5", "--most", "4"], "between 5 and 4"),
        (["--engine", "boolean:{index}", "--candidates", "0"], "0 candidates"),
    ],
)
def test_wrong_arguments_are_told(
    leafward: Leafward, index: Path, more: list[str], told: str
) -> None:
    ran = leafward("write", "owls", *[each.replace("{index}", str(index)) for each in more])
    assert ran.code == Exit.USAGE
    assert told in ran.err
    assert "hint:" in ran.err


def test_help_shows_a_pico_question(leafward: Leafward) -> None:
    told = leafward("write", "-h").out
    assert (
        'leafward write "P: adults after a stroke; I: aspirin; C: placebo; O: recurrence"' in told
    )


def test_the_budget_holds(leafward: Leafward, index: Path) -> None:
    with served(answer("hunt")) as server:
        options = ["--candidates", 5, "--budget-calls", 2, "--json"]
        ran = leafward(*arguments(server, f"boolean:{index}", *options))
        assert server.stats().requests == 2
    assert ran.code == Exit.BUDGET
    assert json.loads(ran.err)["error"]["kind"] == "BudgetExceeded"
