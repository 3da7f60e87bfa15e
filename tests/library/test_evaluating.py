"""Evaluating, explaining and experimenting over a real index, with a scripted model."""

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
from tests.library.samples import corpus, settings

import leafward
from leafward.errors import MethodError, SettingsError
from leafward.evaluate import read_journal
from leafward.evaluate.experiments.spec import experiment_from
from leafward.evaluate.method import parse_method
from leafward.library.costing import calls_per_query
from leafward.library.experimenting import most_calls
from leafward.library.views import searches_trees
from leafward.settings import SearchSettings, Settings
from leafward.testing import Constant, ScriptedServer, rules, word_overlap
from leafward.types import Collection, Query

FAST = SearchSettings(beam=2, iterations=4, references=3)


def collection() -> Collection:
    """A question for each topic; its first two documents answer it."""
    topics = ("rivers", "bread", "stars", "engines", "law")
    documents = tuple(corpus())
    queries = tuple(
        Query(topic, documents[12 * n].text, excluded_ids=frozenset({f"{topic}-2"}))
        for n, topic in enumerate(topics)
    )
    qrels = {topic: {f"{topic}-0": 1, f"{topic}-1": 1, f"{topic}-2": 1} for topic in topics}
    return Collection("topics", "test", documents, queries, qrels)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(rules=[rules.oracle_judge(word_overlap)]) as running:
        yield running


def modelled(place: Path, server: ScriptedServer, **more: object) -> leafward.Index:
    chosen = settings(server.base_url)
    given = Settings.model_validate(chosen.model_dump() | more)
    given = given.model_copy(update={"models": chosen.models})  # the dump hides the key
    return leafward.open(place, model="openai:scripted", settings=given)


def test_a_method_is_measured_beside_a_baseline(index: leafward.Index) -> None:
    found = leafward.evaluate_method(index, collection(), "bm25", baseline="dense")
    assert found.summary.method == "bm25" and found.summary.queries == 5
    assert found.summary.measures["nDCG@10"].mean > 0.5
    assert found.baseline is not None and found.baseline.method == "dense"
    assert set(found.comparisons) == set(found.summary.measures)
    ids = {hit.doc_id for hit in found.rankings["law"].hits}
    assert "law-0" in ids and "law-2" not in ids
    assert found.absent == 0


def test_what_the_index_lacks_is_told(index: leafward.Index) -> None:
    asked = collection()
    qrels = {**asked.qrels, "law": {"law-0": 1, "law-99": 2, "law-98": 0}}
    partial = Collection("topics", "test", (), asked.queries, qrels)
    assert leafward.evaluate_method(index, partial, "bm25").absent == 1


def test_wrong_names_are_noticed_before_anything_is_asked(index: leafward.Index) -> None:
    with pytest.raises(SettingsError, match="no measure"):
        leafward.evaluate_method(index, collection(), "bm25", measures=["nDCG@x"])
    with pytest.raises(MethodError):
        leafward.evaluate_method(index, collection(), "bm25", baseline="nothing")


def test_a_journal_is_gone_on_with(index: leafward.Index, tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    few = leafward.evaluate_method(index, collection(), "bm25", limit=2, journal=journal)
    assert few.summary.queries == 2
    every = leafward.evaluate_method(index, collection(), "bm25", journal=journal)
    assert every.summary.queries == 5 and len(read_journal(journal)[1]) == 5
    with pytest.raises(SettingsError, match="journal of something else"):
        leafward.evaluate_method(index, collection(), "dense", journal=journal)


def test_explaining_what_was_found_costs_nothing(place: Path, server: ScriptedServer) -> None:
    query = collection().queries[4].text
    with modelled(place, server) as index:
        first = leafward.explain(index, query, "law-0", search=FAST)
        assert not first.reused and first.usage.calls > 0
        assert first.path.fate == "found" and first.path.rank == 1
        asked = server.stats().requests
        again = leafward.explain(index, query, "law-0", search=FAST)
        assert again.reused and again.usage.calls == 0
        assert again.path == first.path and server.stats().requests == asked
        assert again.names[0] == index.tree.root.name
        assert all(step.reason for step in again.path.steps)


def test_explaining_what_was_lost(place: Path, server: ScriptedServer) -> None:
    query = collection().queries[4].text
    narrow = SearchSettings(beam=1, iterations=2)
    with modelled(place, server) as index:
        lost = leafward.explain(index, query, "bread-5", search=narrow)
        assert lost.path.fate == "passed over" and lost.path.lost_at is not None
        assert lost.path.rivals and all(each.node in lost.names for each in lost.path.rivals)
        hidden = leafward.explain(index, query, "law-3", exclude=["law-3"], search=narrow)
        assert hidden.path.fate == "hidden"
        with pytest.raises(SettingsError, match="no document 'nothing'"):
            leafward.explain(index, query, "nothing")
        with pytest.raises(SettingsError, match="empty"):
            leafward.explain(index, " ", "law-0")


def test_calls_are_counted_before_they_are_made() -> None:
    search = SearchSettings()

    def calls(method: str, model: str | None = "openai:x") -> int:
        return calls_per_query(parse_method(method), search, model)

    assert calls("bm25") == calls("hybrid") == calls("tree(judge=embedding)") == 0
    assert calls("tree") == 40 and calls("tree", None) == 0
    assert calls("tree(judge=letters, beam=3, iterations=2)") == 12
    assert calls("tree", "local:x") == 80
    assert calls("rerank") == 29 and calls("rerank(top=20)") == 1 and calls("rerank(top=21)") == 2
    assert calls("rerank(calls=7)") == 7
    assert calls("hyde>rerank(top=20)") == 2
    assert calls("tree++(cheap=hyde, iterations=5)") == 11
    assert calls("rrf(tree, rerank(top=20))") == 41


def test_a_seed_matters_to_tree_search_alone() -> None:
    seeded = ("tree", "hyde>tree", "tree++", "rrf(bm25, tree)", "rerank(of=tree)")
    assert all(searches_trees(parse_method(method)) for method in seeded)
    other = ("bm25", "hybrid", "rerank", "tree(seed=3)", "hyde>dense", "rrf(bm25, dense)")
    assert not any(searches_trees(parse_method(method)) for method in other)


def write_beir(folder: Path) -> None:
    """The collection as a BEIR folder."""
    asked = collection()
    (folder / "qrels").mkdir(parents=True)
    rows = [{"_id": d.id, "title": d.title, "text": d.text} for d in asked.documents]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    queries = [{"_id": query.id, "text": query.text} for query in asked.queries]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries))
    lines = [f"{q}\t{d}\t{grade}" for q, docs in asked.qrels.items() for d, grade in docs.items()]
    (folder / "qrels" / "test.tsv").write_text(
        "\n".join(["query-id\tcorpus-id\tscore", *lines]) + "\n"
    )


def experiment(folder: Path, server: ScriptedServer) -> dict[str, object]:
    return {
        "data": "topics",
        "embedder": "lexical",
        "model": "openai:scripted",
        "baseline": "bm25",
        "seeds": [0, 1],
        "measures": ["nDCG@10", "R@100"],
        "concurrency": 2,
        "build": {"branching": 8, "strategy": "model-free"},
        "search": {"iterations": 4},
        "models": {"base_url": server.base_url, "context_tokens": 8192},
        "methods": {
            "bm25": "bm25",
            "tree": "tree(judge=listwise)",
            "tree++": {"method": "tree++(judge=listwise)", "seeds": [0]},
        },
    }


def test_an_experiment_from_nothing_to_its_report(
    tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    write_beir(tmp_path / "topics")
    spec = experiment_from(experiment(tmp_path, server), tmp_path / "x.toml")
    assert most_calls(spec, Settings(search=spec.search), 5) == (2 + 1) * 5 * 8
    report = leafward.run_experiment(spec)
    tree, fused = report.result.methods[1:]
    assert tree.seeds == (0, 1) and tree.queries == 5
    # The fused method walks the tree as the first seed did: its calls are paid, and still counted.
    assert fused.usage.calls == 0 and fused.usage.cache_hits > 0
    assert sum(fused.tokens.values()) > 0
    assert report.usage.calls == tree.usage.calls > 0
    assert report.report.read_text(encoding="utf-8").startswith("# x")
    assert (report.folder / "figures" / "quality_tokens.svg").exists()
    asked = server.stats().requests
    again = leafward.run_experiment(spec)
    assert server.stats().requests == asked and again.usage.calls == 0
    assert again.result.methods[1].per_query == tree.per_query


KILLED = """
import leafward
from leafward.evaluate.experiments.spec import experiment_from
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
given = json.loads((folder / "x.json").read_text())
report = leafward.run_experiment(experiment_from(given, folder / "x.toml"))
print(json.dumps([report.usage.calls, [m.queries for m in report.result.methods]]))
"""


def test_killed_and_run_again_nothing_is_paid_twice(tmp_path: Path) -> None:
    write_beir(tmp_path / "topics")
    answers = [rules.oracle_judge(word_overlap)]
    with ScriptedServer(rules=answers, latency=Constant(0.05)) as slow:
        given = experiment(tmp_path, slow)
        (tmp_path / "x.json").write_text(json.dumps(given))
        command = [sys.executable, "-W", "error", "-c", KILLED, str(tmp_path)]
        environment = {**os.environ, "OPENAI_API_KEY": "none", "OPENBLAS_NUM_THREADS": "1"}
        with subprocess.Popen(command, env=environment) as process:
            assert slow.wait(25)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        time.sleep(0.2)  # what was in flight reaches the server
        before = slow.stats().requests
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=120
        )
        calls, queries = json.loads(done.stdout)
        stats = slow.stats()
    assert queries == [5, 5, 5]
    assert calls == stats.requests - before > 0
    # Only what was in flight at the kill (two queries, two slates each) may be asked again.
    assert stats.paid_twice <= 4
