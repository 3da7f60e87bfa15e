"""The server as a process, its script as JSON, and clients that are killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI

from leafward.errors import ModelUnavailable, SettingsError
from leafward.testing import (
    ChatRequest,
    Constant,
    Fault,
    Inject,
    LogNormal,
    Reply,
    Script,
    ScriptedProcess,
    ScriptedServer,
    load_script,
    read_script,
    rules,
)
from leafward.testing.server import main

MakeClient = Callable[[ScriptedServer | ScriptedProcess], AsyncOpenAI]
CLIENT = """
import concurrent.futures, json, sys, urllib.request
def ask(number):
    body = {"model": "m", "messages": [{"role": "user", "content": f"question {number}"}]}
    url = sys.argv[1] + "/chat/completions"
    urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())).read()
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    list(pool.map(ask, range(int(sys.argv[2]))))
"""


def test_a_script_is_read_with_all_its_parts() -> None:
    script = read_script(
        {
            "rules": ["summaries", {"canned": {"": "hi"}}],
            "faults": [{"fault": "429-date", "probability": 0.5, "kinds": ["query"], "seed": 3}],
            "latency": {"lognormal": {"median": 0.2, "sigma": 1.0}},
            "formats": "object",
            "slots": 4,
        }
    )
    assert script.rules[0] is rules.summaries
    assert script.rules[1](ChatRequest("m", (("user", "x"),), {})) == Reply("hi")
    expected = Inject(Fault.RATE_LIMITED_UNTIL, probability=0.5, kinds=["query"], seed=3)
    assert script.faults == [expected]
    assert (script.latency, script.formats, script.slots) == (LogNormal(0.2, 1.0), "object", 4)
    assert read_script({}) == Script()
    assert read_script({"latency": {"constant": {"seconds": 1}}}).latency == Constant(1)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "must be a JSON object"),
        ({"speed": 1}, "a script has no speed"),
        ({"rules": "summaries"}, "rules must be a JSON list"),
        ({"rules": ["nonsense"]}, "no rule 'nonsense'"),
        ({"rules": [{"nonsense": {}}]}, "no rule 'nonsense'"),
        ({"rules": [{"a": 1, "b": 2}]}, "rule: "),
        ({"rules": [{"python": "no.such:thing"}]}, "no rule at 'no.such:thing'"),
        ({"rules": [{"python": "json:__name__"}]}, "is no function"),
        ({"faults": [{"fault": "earthquake"}]}, "no fault 'earthquake'"),
        ({"faults": [{"fault": "500", "often": True}]}, "often"),
        ({"faults": [{"fault": "500", "probability": 2}]}, "a probability of 2"),
        ({"faults": [{"fault": "500", "kinds": "query"}]}, "kinds='query'"),
        ({"formats": "xml"}, "formats cannot be 'xml'"),
        ({"overflow": "burst"}, "overflow cannot be 'burst'"),
        ({"slots": 0}, "slots cannot be 0"),
        ({"latency": {"gamma": {}}}, "no latency 'gamma'"),
        ({"latency": {"uniform": {"low": 1}}}, "high"),
        ({"rules": [{"oracle_judge": {"corpus": "x", "colour": 1}}]}, "an oracle has no colour"),
    ],
)
def test_what_is_wrong_with_a_script_is_said(value: Any, complaint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_script(value)
    assert complaint in str(caught.value) and caught.value.hint


def test_a_rule_of_ones_own_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "from leafward.testing import Reply\ndef shout(request): return Reply(request.user.upper())"
    )
    (tmp_path / "my_own_rules.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    script = read_script({"rules": [{"python": "my_own_rules:shout"}]})
    assert script.rules[0](ChatRequest("m", (("user", "hey"),), {})) == Reply("HEY")


def test_an_oracle_reads_a_corpus_folder(tmp_path: Path) -> None:
    rows = [{"_id": f"d{n}", "title": "", "text": text} for n, text in enumerate(("gold", "lead"))]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "What shines?"}))
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq\td0\t1\n")
    oracle = {"corpus": str(tmp_path), "split": "dev"}
    noisy = {"oracle": oracle, "contrast": 0.0, "slate": 0.0, "node": 0.0}
    script = read_script({"rules": [{"noisy_judge": noisy}, {"oracle_judge": oracle}]})
    prompt = '{"scores": …}\nQuery: What shines?\n[1] lead\n[2] gold'
    for rule in script.rules:
        reply = rule(ChatRequest("m", (("user", prompt),), {}))
        assert reply is not None
        scores = [entry["score"] for entry in json.loads(reply.text)["scores"]]
        assert scores == [0, 100]


async def test_a_process_answers_like_a_server_in_process(connect: MakeClient) -> None:
    script = {"rules": [{"canned": {"shout": "LOUD", "": "quiet"}}]}
    with ScriptedProcess(script) as process:
        client = connect(process)
        answer = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "shout"}]
        )
        assert answer.choices[0].message.content == "LOUD"
        assert (process.stats().requests, process.stats().paid_twice) == (1, 0)
    process.stop()


def test_a_process_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"nowhere\.json"):
        ScriptedProcess(tmp_path / "nowhere.json").start()


def test_wrong_arguments_end_with_a_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"faults": 3}')
    assert main(["--rules", str(script)]) == 2
    assert "error: faults must be a JSON list\nhint: " in capsys.readouterr().err
    script.write_text("{")
    with pytest.raises(SettingsError, match=r"script\.json"):
        load_script(script)
    script.write_text("{}")
    with ScriptedServer() as server:
        port = server.base_url.rpartition(":")[2].removesuffix("/v1")
        assert main(["--rules", str(script), "--port", port]) == 2
    assert "hint: use --port 0" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_process_in_order(tmp_path: Path, number: signal.Signals) -> None:
    script = tmp_path / "script.json"
    script.write_text("{}")
    command = [sys.executable, "-m", "leafward.testing.server", "--rules", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["base_url"].startswith("http://127.0.0.1:")
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, b"")


def test_a_killed_client_pays_twice_at_most_what_was_in_flight() -> None:
    script = {"rules": [{"canned": {"": "Hi."}}], "latency": {"constant": {"seconds": 0.03}}}
    with ScriptedProcess(script) as server:
        command = [sys.executable, "-c", CLIENT, server.base_url]
        with subprocess.Popen([*command, "500"]) as client:
            while server.stats().requests < 7:
                time.sleep(0.005)
            client.kill()
        while server.stats().in_flight:
            time.sleep(0.005)
        killed = server.stats()
        subprocess.run([*command, "5"], check=True, timeout=60)
        after = server.stats()
    assert killed.peak_in_flight <= 4 and killed.paid_twice == 0
    assert killed.requests == killed.answered + killed.lost
    assert after.paid_twice == 5  # the client keeps nothing: all that it asks again, it pays again
    assert len(after.paid) == len(killed.paid)
