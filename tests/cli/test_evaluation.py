"""eval, experiment and explain: in words, as JSON, interrupted, and short of budget."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import ANIMALS
from tests.cli.running import Leafward
from tests.cli.test_processes import ENVIRONMENT, LEAFWARD

from leafward.cli import evaluation_shapes as shapes
from leafward.cli.shapes import Shape
from leafward.evaluate import read_run
from leafward.testing import Constant, ScriptedServer, rules, word_overlap

QUERIES = {"q1": "who hunts mice at night?", "q2": "why does bread rise?", "q3": "iron and water"}
RELEVANT = {"q1": ["owls", "cats"], "q2": ["bread"], "q3": ["rust"]}


def shaped(kind: type[Shape], value: Any) -> Any:
    """The value, once it has been read by its shape without a rest."""
    kind.model_validate(value)
    return value


@pytest.fixture
def things(tmp_path: Path) -> Path:
    """The corpus of the commands as a BEIR folder with three queries."""
    folder = tmp_path / "things"
    (folder / "qrels").mkdir(parents=True)
    rows = [{"_id": name, "title": name, "text": text} for name, text in ANIMALS.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = [{"_id": name, "text": text} for name, text in QUERIES.items()]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    lines = [f"{query}\t{doc}\t1" for query, docs in RELEVANT.items() for doc in docs]
    (folder / "qrels" / "test.tsv").write_text(
        "\n".join(["query-id\tcorpus-id\tscore", *lines]) + "\n"
    )
    return folder


def experiment(folder: Path, text: str) -> Path:
    path = folder / "x.toml"
    path.write_text(f'data = "things"\nembedder = "lexical"\n{text}')
    return path


SMALL = 'baseline = "bm25"\nmeasures = ["nDCG@10"]\n[methods]\nbm25 = "bm25"\ntree = "tree"\n'


def test_eval_tells_measures_and_a_baseline(leafward: Leafward, index: Path, things: Path) -> None:
    ran = leafward(
        "eval", things, "--method", "tree", "--index", index, "--baseline", "bm25",
        "--measure", "nDCG@10", "--measure", "R@5",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "tree on things test, 3 queries"
    assert lines[1].split()[0] == "nDCG@10" and "p=1.000" in lines[1]
    assert lines[2].split()[0] == "R@5"
    assert "differences are to bm25" in ran.out and "0 calls" in ran.out


def test_eval_as_json_and_as_a_run(leafward: Leafward, index: Path, things: Path) -> None:
    ran = leafward(
        "eval", things, "--method", "hybrid", "--index", index, "--run-out", "out/run.trec",
        "--limit", 2, "--seed", 5, "--json",
    )  # fmt: skip
    told = shaped(shapes.EvalOut, ran.json)
    assert (told["method"], told["queries"], told["seed"]) == ("hybrid", 2, 5)
    low, high = told["measures"]["nDCG@10"]["interval"]
    assert low <= told["measures"]["nDCG@10"]["mean"] <= high
    assert told["usage"]["calls"] == 0 and told["baseline"] is None
    assert set(read_run(Path("out/run.trec"))) < set(QUERIES)


def test_eval_makes_an_index_where_there_is_none(leafward: Leafward, things: Path) -> None:
    arguments = ("eval", things, "--method", "bm25", "-e", "lexical", "--json")
    ran = leafward(*arguments)
    assert ran.json["queries"] == 3 and "indexing things into things.leafward" in ran.err
    again = leafward(*arguments)
    assert again.json["measures"] == ran.json["measures"] and "indexing" not in again.err


def test_eval_goes_on_from_its_journal(leafward: Leafward, index: Path, things: Path) -> None:
    arguments = ("eval", things, "--index", index, "--method", "bm25", "--journal", "j.jsonl")
    assert leafward(*arguments, "--limit", 1, "--json").json["queries"] == 1
    assert leafward(*arguments, "--json").json["queries"] == 3
    other = leafward("eval", things, "--index", index, "--method", "dense", "--journal", "j.jsonl")
    assert other.code == 2 and "journal of something else" in other.err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--method", "bm26"], 2, "did you mean bm25"),
        (["--measure", "nDCG@"], 2, "no measure"),
        (["--split", "dev"], 3, "dev"),
        (["--index", "nowhere"], 6, "nowhere"),
        (["--method", "hyde>bm25"], 2, "--model"),
    ],
)
def test_eval_refuses_with_a_hint(
    leafward: Leafward, index: Path, things: Path, arguments: list[str], code: int, told: str
) -> None:
    given = arguments if "--index" in arguments else [*arguments, "--index", str(index)]
    ran = leafward("eval", things, *given)
    assert ran.code == code, ran.err
    assert told in ran.err and "hint:" in ran.err


def test_calls_that_may_cost_need_consent(leafward: Leafward, index: Path, things: Path) -> None:
    asked = ("eval", things, "--index", index, "--method", "tree", "--model", "openai:x")
    ran = leafward(*asked)
    assert ran.code == 2
    assert "about 120 model calls at most" in ran.err and "--yes" in ran.err


def test_an_experiment_and_its_comparison(leafward: Leafward, things: Path) -> None:
    file = experiment(things.parent, SMALL)
    ran = leafward("experiment", "run", file, "--json")
    assert ran.code == 0, ran.err
    told = shaped(shapes.ExperimentOut, ran.json)
    assert told["complete"] is True and told["baseline"] == "bm25"
    assert [method["label"] for method in told["methods"]] == ["bm25", "tree"]
    assert told["methods"][1]["comparison"]["measure"] == "nDCG@10"
    assert Path(told["report"]).read_text(encoding="utf-8").startswith("# x")
    words = leafward("experiment", "run", file)
    assert "report: " in words.out and "differences are to bm25" in words.out

    results = told["folder"]
    pair = leafward("experiment", "compare", results, results, "--pair", "bm25=tree", "--json")
    found = shaped(shapes.CompareOut, pair.json)
    assert [(p["method_a"], p["method_b"]) for p in found["pairs"]] == [("bm25", "tree")]
    assert (found["only_a"], found["only_b"]) == (["tree"], ["bm25"])
    same = leafward("experiment", "compare", results, results)
    assert "+0.000" in same.out
    wrong = leafward("experiment", "compare", results, results, "--pair", "bm25")
    assert wrong.code == 2 and "tree=tree-new" in wrong.err
    assert leafward("experiment", "compare", results, things).code == 3


def test_an_experiment_that_cannot_be_run(leafward: Leafward, tmp_path: Path) -> None:
    assert leafward("experiment", "run", tmp_path / "none.toml").code == 2
    file = experiment(tmp_path, "[methods]\na = 'tree('")
    ran = leafward("experiment", "run", file)
    assert ran.code == 2 and "methods.a" in ran.err


def test_explain_tells_the_path(leafward: Leafward, index: Path) -> None:
    ran = leafward("explain", index, QUERIES["q1"], "--gold", "owls")
    assert ran.code == 0, ran.err
    assert re.fullmatch(r"  found, at rank [12]", ran.out.splitlines()[1])
    assert "Owls" in ran.out and "on the frontier, expanded as number" in ran.out
    told = shaped(
        shapes.ExplainOut,
        leafward("explain", index, QUERIES["q1"], "--gold", "owls", "--json").json,
    )
    assert told["fate"] == "found" and told["path"][-1]["name"] == "Owls"
    assert [step["depth"] for step in told["path"]] == list(range(1, len(told["path"]) + 1))


def test_explain_tells_where_and_to_what_a_document_was_lost(
    leafward: Leafward, index: Path
) -> None:
    arguments = ("explain", index, QUERIES["q1"], "--gold", "soup", "--iterations", 1, "--beam", 1)
    told = shaped(shapes.ExplainOut, leafward(*arguments, "--json").json)
    assert (told["fate"], told["depth"], told["rank"]) == ("passed over", 1, None)
    assert told["lost_at"] == told["path"][0]["node"]
    words = leafward(*arguments).out
    assert "waited to be expanded" in words and "✗    1" in words and "never shown" in words
    last = leafward("explain", index, QUERIES["q1"], "--gold", "soup", "-k", 1)
    assert "documents stand before it" in last.out and "ranked before it" in last.out
    unknown = leafward("explain", index, "x", "--gold", "unicorns")
    assert unknown.code == 2 and "unicorns" in unknown.err


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(rules=[rules.oracle_judge(word_overlap)]) as running:
        yield running


def modelled(things: Path, server: ScriptedServer, more: str = "") -> Path:
    return experiment(
        things.parent,
        f'''
model = "openai:scripted"
concurrency = 1
{more}
[models]
base_url = "{server.base_url}"
[search]
iterations = 3
[build]
branching = 4
strategy = "model-free"
[methods]
bm25 = "bm25"
tree = "tree"
''',
    )


def test_ctrl_c_ends_an_experiment_and_the_same_command_goes_on(
    things: Path, server: ScriptedServer
) -> None:
    server.change(latency=Constant(0.5))
    command = [*LEAFWARD, "experiment", "run", str(modelled(things, server))]
    with subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert server.wait(3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    assert "finishing the calls in flight" in err and "same command goes on" in err
    server.change(latency=Constant(0.0))
    again = subprocess.run(
        [*command, "--json"], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["complete"] is True
    assert "tree, seed 0: 3 to do" in again.stderr
    assert server.stats().paid_twice == 0


def test_a_spent_budget_leaves_a_report_and_a_code_of_its_own(
    leafward: Leafward, things: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "scripted")
    ran = leafward(
        "experiment", "run", modelled(things, server, "budget = { calls = 8 }"), "--json"
    )
    assert ran.code == 5, ran.err
    tree = shaped(shapes.ExperimentOut, ran.json)["methods"][1]
    assert 0 < tree["queries"] < 3 and tree["missing"] == 3 - tree["queries"]
    assert "limit of 8 calls" in tree["stopped"]
    assert server.stats().requests <= 8
    report = Path(ran.json["report"]).read_text(encoding="utf-8")
    assert "ended before all queries were asked" in report
    # The budget is the experiment's, over all of its runs: a second one may not spend it again.
    again = leafward("experiment", "run", things.parent / "x.toml", "--json")
    assert again.code == 5 and server.stats().requests <= 8 + 2
