"""The command as its own process: signals, pipes, exit codes, and a build that goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from leafward.testing import Constant, ScriptedServer, rules, word_overlap

ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith(("LEAFWARD", "OPENAI"))},
    "LEAFWARD_EMBEDDER": "lexical",
    "OPENAI_API_KEY": "scripted",
}
LEAFWARD = [sys.executable, "-W", "error", "-m", "leafward"]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A model that takes a tenth of a second for each answer."""
    script = [rules.summaries, rules.clusters, rules.describe_group]
    answers = [*script, rules.oracle_judge(word_overlap)]
    with ScriptedServer(rules=answers, latency=Constant(0.1)) as running:
        yield running


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A hundred short documents: 100 summary prompts at one document each."""
    path = tmp_path / "many.jsonl"
    words = ["owl", "cat", "dog", "bread", "cake", "iron", "glass", "rain", "wind", "snow"]
    rows = [
        {"_id": f"d{n}", "text": f"{words[n % 10]} and {words[n // 10]} number {n}"}
        for n in range(100)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def build(server: ScriptedServer, many: Path, *more: str) -> list[str]:
    index = str(many.parent / "many.leafward")
    command = [*LEAFWARD, "index", str(many), index, "--model", "openai:scripted", "--no-probe"]
    return [*command, "--base-url", server.base_url, "--strategy", "top-down", *more]


def settings(folder: Path) -> dict[str, str]:
    """One document a prompt, two in flight: a build that takes a while."""
    return ENVIRONMENT | {
        "LEAFWARD_BUILD__SUMMARY_BATCH": "1",
        "LEAFWARD_BUILD__CONCURRENCY": "2",
        "LEAFWARD_MODELS__CONCURRENCY": "2",
        "XDG_CACHE_HOME": str(folder),
    }


def test_ctrl_c_saves_what_was_paid_and_the_same_command_goes_on(
    server: ScriptedServer, many: Path
) -> None:
    command, environment = build(server, many), settings(many.parent)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert server.wait(10)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert "finishing the calls in flight" in err
    assert "the same command goes on" in err.splitlines()[-1]
    stopped_at = server.stats().requests
    assert stopped_at < 100

    again = subprocess.run(
        [*command, "--json"], env=environment, capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr
    told = json.loads(again.stdout)
    assert told["usage"]["cache_hits"] == stopped_at
    assert server.stats().paid_twice == 0


def test_ctrl_c_twice_stops_at_once(server: ScriptedServer, many: Path) -> None:
    server.change(latency=Constant(30.0))
    with subprocess.Popen(
        build(server, many), env=settings(many.parent), stderr=subprocess.PIPE, text=True
    ) as process:
        assert server.wait(1)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        while "finishing" not in process.stderr.readline():
            pass
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=25)  # far less than the answer would take
    assert process.returncode == 130
    assert time.monotonic() - begun < 25


def test_ctrl_c_ends_a_search_and_keeps_the_answers_in_flight(
    server: ScriptedServer, many: Path
) -> None:
    index = str(many.parent / "many.leafward")
    made = [*LEAFWARD, "index", str(many), index, "-q", "--no-probe"]
    subprocess.run(made, env=ENVIRONMENT, check=True)
    server.change(latency=Constant(1.0))
    command = [*LEAFWARD, "search", index, "owl and cat", "--model", "openai:scripted"]
    with subprocess.Popen(
        [*command, "--base-url", server.base_url],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert server.wait(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err and "saved" in err
    stats = subprocess.run(
        [*LEAFWARD, "cache", "stats", index, "--json"],
        env=ENVIRONMENT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(stats.stdout)["answers"] >= server.stats().requests


def test_a_spent_budget_has_its_own_code_and_can_be_raised(
    server: ScriptedServer, many: Path
) -> None:
    command, environment = build(server, many), settings(many.parent)
    server.change(latency=Constant(0.0))
    short = subprocess.run(
        [*command, "--budget-calls", "20", "--json"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert short.returncode == 5
    error = json.loads(short.stderr.splitlines()[-1])["error"]
    assert error["kind"] == "BudgetExceeded" and "larger budget" in error["hint"]
    assert server.stats().requests == 20
    done = subprocess.run([*command, "-q"], env=environment, capture_output=True, check=False)
    assert done.returncode == 0
    assert server.stats().paid_twice == 0


def test_a_bill_that_nobody_can_accept_is_refused(many: Path) -> None:
    command = [*LEAFWARD, "index", str(many), str(many.parent / "i"), "--model", "openai:gpt"]
    ran = subprocess.run(
        command, env=ENVIRONMENT, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert ran.returncode == 2
    assert "in all" in ran.stderr and "price unknown" in ran.stderr and "--yes" in ran.stderr
    assert not (many.parent / "i").exists()


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    source, index = tmp_path / "long.jsonl", tmp_path / "long.leafward"
    source.write_text(json.dumps({"_id": "long", "text": "many words " * 50_000}) + "\n")
    made = [*LEAFWARD, "index", str(source), str(index), "-q", "--no-probe"]
    subprocess.run(made, env=ENVIRONMENT, check=True, capture_output=True)
    with subprocess.Popen(
        [*LEAFWARD, "show", str(index), "long"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_progress_and_results_do_not_mix(many: Path) -> None:
    ran = subprocess.run(
        [*LEAFWARD, "index", str(many), str(many.parent / "i"), "--json"],
        env=ENVIRONMENT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(ran.stdout)["documents"] == 100
    assert "embedding: 100 to do" in ran.stderr
    quiet = subprocess.run(
        [*LEAFWARD, "index", str(many), str(many.parent / "j"), "-q"],
        env=ENVIRONMENT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert quiet.stderr == ""


def test_a_terminal_that_cannot_show_a_sign_ends_no_command(tmp_path: Path) -> None:
    source, index = tmp_path / "signs.jsonl", str(tmp_path / "i")
    source.write_text(json.dumps({"_id": "a", "title": "é › 猫", "text": "a cat"}) + "\n")
    narrow = ENVIRONMENT | {"PYTHONIOENCODING": "latin-1"}
    made = [*LEAFWARD, "index", str(source), index, "-q", "--no-probe"]
    subprocess.run(made, env=narrow, check=True, capture_output=True)
    search = [*LEAFWARD, "search", index, "cat"]
    words = subprocess.run(search, env=narrow, capture_output=True, check=True)
    assert "é ? ?".encode("latin-1") in words.stdout
    told = subprocess.run([*search, "--json"], env=narrow, capture_output=True, check=True)
    assert json.loads(told.stdout)["hits"][0]["title"] == "é › 猫"


def test_help_imports_nothing_heavy() -> None:
    """Half of a second is soon spent; what it is spent on is told by name, not by the clock."""
    code = (
        "import sys\nfrom leafward.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pydantic', 'rich', 'openai', 'tantivy', 'asyncio', 'sqlite3'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == "[]"
