"""The build journal and the traces of searches."""

from __future__ import annotations

from pathlib import Path

from tests.store.making import make

from leafward.store import Store
from leafward.types import Candidate, Judgement, Slate, Step, Trace, Usage

TRACE = Trace(
    "why?",
    (
        Step(
            Slate(0, 0, (Candidate(1, "one"), Candidate(2, reference=True))),
            Judgement({1: 0.25, 2: 1.0}, "because", {1: "so"}, Usage(1, 2, 3, 4, None)),
        ),
        Step(Slate(1, 2, ()), None),
    ),
    "exhausted",
)


def test_traces_come_back_equal_and_in_order(tmp_path: Path) -> None:
    make(tmp_path / "i")
    other = Trace("half \ud83d", (), "calls")
    with Store.open(tmp_path / "i") as store:
        assert store.load_traces() == []
        assert store.save_trace(TRACE, generation=1) < store.save_trace(other, generation=1)
        assert store.load_traces() == [TRACE, other]
        assert store.load_traces(query="why?") == [TRACE]
        assert store.load_traces(query="half \ud83d") == [other]
        assert store.load_traces(limit=1) == [other]


def test_the_journal_keeps_order_and_details(tmp_path: Path) -> None:
    with Store.create(tmp_path / "i") as store:
        store.journal("summaries", "started", {"documents": 20})
        store.journal("summaries", "done")
        entries = store.journal_entries()
        assert [(entry.stage, entry.state) for entry in entries] == [
            ("summaries", "started"),
            ("summaries", "done"),
        ]
        assert entries[0].detail == {"documents": 20}
        assert entries[0].created <= entries[1].created
        assert store.journal_entries(limit=1) == entries[1:]
