"""The journal: what survives a kill, a torn line, a full disk; what it refuses."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leafward.errors import IndexBusy, SettingsError, StoreError
from leafward.evaluate.journal import Journal, read_journal
from leafward.evaluate.journal_lines import Header
from leafward.types import (
    Candidate,
    Hit,
    Judgement,
    Outcome,
    Query,
    Ranking,
    Slate,
    Step,
    Trace,
    Usage,
)

HEADER = Header("bm25", "scifact", "test", 100, key="index 7")
QUERIES = tuple(Query(f"q{i}", f"need {i}") for i in range(5))


def outcome(query: Query, score: float = 1.0) -> Outcome:
    return Outcome(query.id, Ranking((Hit("d1", score), Hit("d2", 0.1)), query.id), 0.25)


def written(path: Path) -> bytes:
    with Journal(path, HEADER) as journal:
        for query in QUERIES:
            journal.append(query, outcome(query))
    return path.read_bytes()


def test_everything_comes_back_as_it_was(tmp_path: Path) -> None:
    slate = Slate(3, 1, (Candidate(4, "text", True), Candidate(5)))
    steps = (Step(slate, Judgement({4: 0.5}, "why", {4: "so"}, Usage(1, 2))), Step(slate, None))
    ranking = Ranking(
        (Hit("a b/ü\u2028", 0.1 + 0.2), Hit("c", -1e-300)),
        "q0",
        total=9,
        usage=Usage(1, 2, 3, 4, None, 6),
        judged=5,
        degraded=True,
        trace=Trace("need", steps, "deadline", "key"),
    )
    whole = Outcome("q0", ranking, 1.5, "half")
    lost = Outcome("q1", None, 0.5, 'ModelTimeout: "slow"\nvery')
    with Journal(tmp_path / "j", HEADER) as journal:
        journal.append(QUERIES[0], whole)
        journal.append(QUERIES[1], lost)
    assert read_journal(tmp_path / "j") == (HEADER, (whole, lost))
    with Journal(tmp_path / "j", HEADER) as journal:
        assert journal.finished(QUERIES) == {"q0": whole}


def test_half_a_character_does_not_spoil_the_file(tmp_path: Path) -> None:
    broken = Outcome("q0", None, 0.0, "said \ud83d and stopped")
    with Journal(tmp_path / "j", HEADER) as journal:
        journal.append(QUERIES[0], broken)
    (found,) = read_journal(tmp_path / "j")[1]
    assert found.error == "said ? and stopped"


def test_a_later_line_about_a_query_stands(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", HEADER) as journal:
        journal.append(QUERIES[0], Outcome("q0", None, 0.1, "lost"))
        journal.append(QUERIES[1], outcome(QUERIES[1]))
        journal.append(QUERIES[0], outcome(QUERIES[0]))
    found = read_journal(tmp_path / "j")[1]
    assert [(o.query_id, o.ranking is None) for o in found] == [("q0", False), ("q1", False)]


@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_cut_anywhere_resumes_with_every_whole_line(
    data: st.DataObject, tmp_path: Path
) -> None:
    path = tmp_path / "cut"
    path.unlink(missing_ok=True)
    content = written(path)
    cut = data.draw(st.integers(0, len(content)))
    rest = data.draw(st.sampled_from([b"", b"\0" * 40] + [b"{\xff"] * (b"\n" in content[:cut])))
    path.write_bytes(content[:cut] + rest)
    whole = content[:cut].count(b"\n")
    with Journal(path, HEADER) as journal:
        found = journal.finished(QUERIES)
        assert list(found) == [f"q{i}" for i in range(max(0, whole - 1))]
        for query in QUERIES:
            if query.id not in found:
                journal.append(query, outcome(query))
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"method": "dense"}, "method 'bm25' instead of 'dense'"),
        ({"collection": "nfcorpus"}, "collection 'scifact' instead of 'nfcorpus'"),
        ({"split": "train"}, "split"),
        ({"k": 10}, "k 100 instead of 10"),
        ({"key": "index 8"}, "key"),
        ({"traces": True}, "traces"),
        ({"format": 2}, "format"),
    ],
)
def test_the_journal_of_something_else_is_refused_and_kept(
    tmp_path: Path, change: dict[str, str], told: str
) -> None:
    content = written(tmp_path / "j")
    with pytest.raises(SettingsError, match="something else") as caught:
        Journal(tmp_path / "j", replace(HEADER, **change))  # type: ignore[arg-type]
    assert told in caught.value.message
    assert "another journal" in caught.value.hint
    assert (tmp_path / "j").read_bytes() == content
    Journal(tmp_path / "j", HEADER).close()  # nobody holds it after a refusal


@pytest.mark.parametrize(
    "other",
    [
        Query("q1", "other words"),
        Query("q1", "need 1", "another meaning"),
        Query("q1", "need 1", "", frozenset({"d1"})),
    ],
)
def test_a_query_that_changed_is_refused(tmp_path: Path, other: Query) -> None:
    written(tmp_path / "j")
    with (
        Journal(tmp_path / "j", HEADER) as journal,
        pytest.raises(SettingsError, match="another query 'q1'"),
    ):
        journal.finished([other])


@pytest.mark.parametrize("number", [1, 2, 4])
@pytest.mark.parametrize("wrong", [b"", b"{}", b"not json", b'{"query":"x","outcome":null}'])
def test_damage_in_the_middle_is_told_with_its_line(
    tmp_path: Path, number: int, wrong: bytes
) -> None:
    lines = written(tmp_path / "j").split(b"\n")
    lines[number - 1] = wrong
    (tmp_path / "j").write_bytes(b"\n".join(lines))
    for read in (lambda: Journal(tmp_path / "j", HEADER), lambda: read_journal(tmp_path / "j")):
        with pytest.raises(StoreError, match=f"line {number} "):
            read()


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"a,b\n1,2", b"my only copy"])
def test_a_file_of_another_kind_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "precious"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="line 1 "):
        Journal(path, HEADER)
    assert path.read_bytes() == content


def test_a_refused_journal_keeps_its_torn_line_too(tmp_path: Path) -> None:
    content = written(tmp_path / "j")[:-5]
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(SettingsError):
        Journal(tmp_path / "j", replace(HEADER, method="dense"))
    assert (tmp_path / "j").read_bytes() == content


def test_two_do_not_write_at_once(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", HEADER) as journal:
        with pytest.raises(IndexBusy):
            Journal(tmp_path / "j", HEADER)
        journal.append(QUERIES[0], outcome(QUERIES[0]))
        assert len(read_journal(tmp_path / "j")[1]) == 1  # but others may read
    Journal(tmp_path / "j", HEADER).close()


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def full(file: int, content: bytes) -> int:
        if len(content) < 20:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(file, content[:-10])

    with Journal(tmp_path / "j", HEADER) as journal:
        journal.append(QUERIES[0], outcome(QUERIES[0]))
        before = (tmp_path / "j").read_bytes()
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            with pytest.raises(StoreError, match="No space left") as caught:
                journal.append(QUERIES[1], outcome(QUERIES[1]))
        assert caught.value.hint
        assert (tmp_path / "j").read_bytes() == before
        journal.append(QUERIES[2], outcome(QUERIES[2]))
    assert [o.query_id for o in read_journal(tmp_path / "j")[1]] == ["q0", "q2"]


def test_reading_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        read_journal(tmp_path / "none")


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from leafward.evaluate import evaluate
from leafward.types import Collection, Hit, Query, Ranking

class Killed:
    async def retrieve(self, query, *, k):
        if query.id == "q30":
            os.kill(os.getpid(), signal.SIGKILL)
        return Ranking((Hit("d", 1.0),))

queries = tuple(Query(f"q{i}", "need") for i in range(50))
collection = Collection("c", "test", (), queries, {q.id: {"d": 1} for q in queries})
asyncio.run(evaluate(Killed(), collection, concurrency=1, journal=Path(sys.argv[1])))
"""


def test_a_killed_process_loses_nothing_that_it_finished(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "j")], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert [o.query_id for o in read_journal(tmp_path / "j")[1]] == [f"q{i}" for i in range(30)]
