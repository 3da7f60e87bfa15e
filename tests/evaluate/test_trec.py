"""TREC's runs and judgements: back as they were, readable by others, wrong ones refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leafward.corpus import safe_id
from leafward.errors import CorpusError
from leafward.evaluate import read_qrels_file, read_run, trec_order, write_qrels, write_run
from leafward.evaluate.files import write_lines
from leafward.types import Hit, Ranking

IDS = st.text(min_size=1, max_size=6).map(safe_id).filter(bool)
ROWS = st.dictionaries(IDS, st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=5)
FILES = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(run=st.dictionaries(IDS, ROWS, max_size=4))
@FILES
def test_a_run_comes_back_as_it_was(run: dict[str, dict[str, float]], tmp_path: Path) -> None:
    rankings = {q: Ranking(tuple(Hit(d, s) for d, s in row.items()), q) for q, row in run.items()}
    write_run(tmp_path / "run", rankings)
    found = read_run(tmp_path / "run")
    assert found == run
    assert all(list(found[q]) == trec_order(q, run[q]) for q in run)


@given(qrels=st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-2, 4), min_size=1)))
@FILES
def test_judgements_come_back_as_they_were(
    qrels: dict[str, dict[str, int]], tmp_path: Path
) -> None:
    write_qrels(tmp_path / "qrels", qrels)
    assert read_qrels_file(tmp_path / "qrels") == qrels


def test_others_read_what_we_write(tmp_path: Path) -> None:
    write_run(tmp_path / "r", {"q1": Ranking((Hit("b", 0.5), Hit("a", 2.0)))}, tag="hyde > bm25")
    assert (tmp_path / "r").read_text() == "q1 Q0 a 1 2.0 hyde>bm25\nq1 Q0 b 2 0.5 hyde>bm25\n"
    theirs: Any = ir_measures
    read = list(theirs.read_trec_run(str(tmp_path / "r")))
    assert read == [("q1", "a", 2.0), ("q1", "b", 0.5)]


def test_ranks_agree_with_scores_where_ids_tie(tmp_path: Path) -> None:
    write_run(tmp_path / "r", {"q": Ranking((Hit("a", 1.0), Hit("b", 1.0)))})
    assert [line.split()[2:4] for line in (tmp_path / "r").read_text().splitlines()] == [
        ["b", "1"],
        ["a", "2"],
    ]


def test_ids_with_blanks_are_kept_apart_by_tabs(tmp_path: Path) -> None:
    write_run(tmp_path / "r", {"q 1": Ranking((Hit("my notes.md#0", 1.0), Hit("b", 0.5)))}, tag=" ")
    assert (tmp_path / "r").read_text().startswith("q 1\tQ0\tmy notes.md#0\t1\t1.0\tleafward\n")
    assert read_run(tmp_path / "r") == {"q 1": {"my notes.md#0": 1.0, "b": 0.5}}


def test_an_id_cannot_break_out_of_its_line(tmp_path: Path) -> None:
    write_run(tmp_path / "r", {"q\n1": Ranking((Hit("a\nq2 Q0 gold 1 9 x", 1.0),))})
    assert read_run(tmp_path / "r") == {"q%0A1": {"a%0Aq2 Q0 gold 1 9 x": 1.0}}


def test_other_shapes_of_runs(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("q1\tQ0  d1   1 2.5 tag\r\n\n  q1 0 d2 2 -1e-3 tag\n")
    assert read_run(tmp_path / "r") == {"q1": {"d1": 2.5, "d2": -0.001}}
    with gzip.open(tmp_path / "r.gz", "wt") as file:
        file.write("q1 Q0 d1 1 2.5 t\n")
    assert read_run(tmp_path / "r.gz") == {"q1": {"d1": 2.5}}
    (tmp_path / "score.json").write_text(json.dumps({"q1": {"d1": 10, "d2": 0.5}, "q2": {}}))
    assert read_run(tmp_path / "score.json") == {"q1": {"d1": 10.0, "d2": 0.5}, "q2": {}}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q1 Q0 d1 1 2.5 t\nq1 Q0 d1 2 2.0 t\n", ":2: query 'q1' has document 'd1' twice"),
        ("q1 Q0 d1 1 nan t\n", ":1: the score 'nan'"),
        ("q1 Q0 d1 1 inf t\n", ":1: the score 'inf'"),
        ("q1 Q0 d1 1 high t\n", ":1: the score 'high'"),
        ("\nq1 d1 2.5\n", ":2: 3 columns instead of query Q0 doc rank score tag"),
    ],
)
def test_a_run_that_cannot_be_scored_is_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "run").write_text(text)
    with pytest.raises(CorpusError) as caught:
        read_run(tmp_path / "run")
    assert told in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"q": [1]}', '{"q": {"d": "high"}}', '{"q": {"d": NaN}}', ""]
)
def test_a_json_run_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(CorpusError):
        read_run(tmp_path / "run.json")


@pytest.mark.parametrize("name", ["run", "run.gz", "run.json", "run.json.gz"])
def test_a_run_that_is_not_there_or_broken_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CorpusError):
        read_run(tmp_path / name)
    if name.endswith(".gz"):
        (tmp_path / name).write_bytes(gzip.compress(b'{"q":{}}' * 999)[:20])
        with pytest.raises(CorpusError):
            read_run(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q1 0 d1 high\n", "the relevance 'high'"),
        ("q1 0 d1 1\nq1 0 d1 0\n", ":2: query 'q1' has document 'd1' twice"),
        ("q1 d1 1\n", "3 columns"),
    ],
)
def test_judgements_that_are_none_are_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "qrels").write_text(text)
    with pytest.raises(CorpusError) as caught:
        read_qrels_file(tmp_path / "qrels")
    assert told in caught.value.message


def test_writing_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_lines(path, ["old"])

    def lines() -> object:
        yield "half"
        raise OSError("pulled out")

    with pytest.raises(OSError, match="pulled out"):
        write_lines(path, lines())  # type: ignore[arg-type]
    assert path.read_text() == "old\n"
    assert [file.name for file in path.parent.iterdir()] == ["file"]


def test_a_new_file_may_be_read_like_any_other(tmp_path: Path) -> None:
    write_lines(tmp_path / "ours", ["x"])
    (tmp_path / "any").write_text("x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "any").stat().st_mode
