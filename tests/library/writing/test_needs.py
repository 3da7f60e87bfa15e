"""Needs from every shape of source, and none that could not be scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conftest import data_set

from leafward.errors import CorpusError, SettingsError
from leafward.library.writing import as_need, read_needs
from leafward.library.writing.asking import read_pico, told_pico
from leafward.types import Need


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_rows_of_ones_own(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": "a", "text": "aspirin", "relevant": ["1", "2"], "split": "train"},
        {"_id": 7, "query": "statins", "relevant": {"3": 2, "4": 0}, "split": "dev"},
        {"id": "c", "pico": {"i": " yoga ", "O": "pain", "C": ""}, "relevant": ["5"]},
        {"id": "d", "question": "how many?", "sql": "SELECT 1"},
    ]
    path = write(tmp_path / "needs.jsonl", rows)
    assert read_needs(path) == (
        Need("a", "aspirin", {}, {"1": 1, "2": 1}),
        Need("7", "statins", {}, {"3": 2}),
        Need("c", "yoga: pain", {"I": "yoga", "O": "pain"}, {"5": 1}),
        Need("d", "how many?", {}, {}, "SELECT 1"),
    )
    assert [need.id for need in read_needs(path, split="dev")] == ["7"]


def test_a_beir_folder_with_pico(tmp_path: Path) -> None:
    write(
        tmp_path / "queries.jsonl",
        [
            {"_id": "q1", "text": "one", "pico": {"I": "drug"}},
            {"_id": "q2", "text": "two"},
            {"_id": "q3", "text": "three"},
        ],
    )
    (tmp_path / "qrels").mkdir()
    judged = "query-id\tcorpus-id\tscore\nq2\td1\t1\nq1\td2\t2\nq1\td3\t0\nq3\td1\t0\n"
    (tmp_path / "qrels" / "dev.tsv").write_text(judged, encoding="utf-8")
    needs = read_needs(tmp_path, split="dev")
    assert needs == (
        Need("q1", "one", {"I": "drug"}, {"d2": 2}),
        Need("q2", "two", {}, {"d1": 1}),
    )
    with pytest.raises(CorpusError, match="split") as caught:
        read_needs(tmp_path)
    assert "dev" in caught.value.hint


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ({"text": "no id"}, 1),
        ({"id": "a"}, 1),
        ({"id": "a", "text": "t", "pico": "aspirin"}, 1),
        ({"id": "a", "text": "t", "pico": {"X": "aspirin"}}, 1),
        ({"id": "a", "text": "t", "pico": {"I": 3}}, 1),
        ({"id": "a", "text": "t", "relevant": 3}, 1),
        ({"id": "a", "text": "t", "sql": 3}, 1),
    ],
)
def test_a_row_that_cannot_be_read_is_told_with_its_line(
    tmp_path: Path, row: dict[str, object], line: int
) -> None:
    with pytest.raises(CorpusError) as caught:
        read_needs(write(tmp_path / "needs.jsonl", [row]))
    assert caught.value.line == line
    assert caught.value.hint


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        read_needs(tmp_path / "needs.jsonl")
    path = write(tmp_path / "needs.jsonl", [{"id": "a", "text": "t", "split": "train"}])
    with pytest.raises(CorpusError, match="no needs of the split 'test'") as caught:
        read_needs(path, split="test")
    assert caught.value.hint
    with pytest.raises(CorpusError, match="used again"):
        read_needs(write(path, [{"id": "a", "text": "t"}, {"id": "a", "text": "u"}]))


def test_a_limit_draws_with_a_seed_and_keeps_the_order(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": f"{n:02}", "text": "t"} for n in range(50)]
    path = write(tmp_path / "needs.jsonl", rows)
    drawn = [need.id for need in read_needs(path, limit=10, seed=1)]
    assert drawn == sorted(drawn)
    assert drawn == [need.id for need in read_needs(path, limit=10, seed=1)]
    assert drawn != [need.id for need in read_needs(path, limit=10, seed=2)]


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "split", "count"),
    [
        ("evidence_inference_pico", "train", 10_255),
        ("evidence_inference_pico", "dev", 1_253),
        ("cohen2006_drug_reviews", "test", 14),
        ("pubmedqa_l", "train", 500),
        ("nfcorpus_orig", "dev", 324),
        ("scifact", "test", 300),
        ("sql_geography", "test", 277),
        ("sql_geography", "", 872),
        ("literature_queries_nocorpus/deepretrieval_pico_1000.jsonl", "", 1_000),
    ],
)
def test_the_data_sets_are_read(name: str, split: str, count: int) -> None:
    folder, _, file = name.partition("/")
    needs = read_needs(data_set(folder) / file, split=split)
    assert len(needs) == count
    for need in needs:
        assert need.text
        assert bool(need.relevant) != bool(need.gold)
    assert all(need.pico for need in needs) == ("pico" in name)


def test_a_text_or_a_pico_question_is_a_need() -> None:
    assert as_need(" aspirin ") == Need("", "aspirin")
    parts = {"P": "adults", "I": "aspirin", "C": "placebo", "O": "stroke"}
    told = Need("", "aspirin versus placebo: stroke (adults)", parts)
    assert as_need(parts) == told
    assert as_need("P: adults; I: aspirin; C: placebo; O: stroke") == told
    assert as_need("P: adults\nI: aspirin;\nC: placebo\nO:stroke") == told
    assert as_need(told) is told


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("aspirin; O: stroke", {}),
        ("vitamin C: colds", {}),
        ("I: aspirin or C: placebo", {"I": "aspirin or C: placebo"}),
        ("I: a; b; c; O: d", {"I": "a; b; c", "O": "d"}),
        ("I:; O: d", {"O": "d"}),
    ],
)
def test_only_what_begins_with_a_part_is_a_pico_question(text: str, parts: dict[str, str]) -> None:
    assert read_pico(text) == parts


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"I": "a"}, "a"),
        ({"C": "b", "I": "a"}, "a versus b"),
        ({"O": "c"}, "c"),
        ({"P": "d"}, "d"),
        ({"P": "d", "O": "c", "I": "a"}, "a: c (d)"),
        ({"P": " ", "O": ""}, ""),
    ],
)
def test_a_pico_question_in_words(parts: dict[str, str], told: str) -> None:
    assert told_pico(parts) == told


@pytest.mark.parametrize("need", ["", "  ", {"X": "a"}, {}, {"P": " "}, "I: a; I: b"])
def test_a_need_that_says_nothing_is_refused(need: str | dict[str, str]) -> None:
    with pytest.raises(SettingsError) as caught:
        as_need(need)
    assert caught.value.hint
