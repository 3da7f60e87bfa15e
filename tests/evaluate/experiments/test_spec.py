"""Experiment files: what they may say, and what they may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from leafward.errors import SettingsError
from leafward.evaluate.experiments.folder import Folder
from leafward.evaluate.experiments.spec import experiment_from, read_experiment

GOOD = """
data = "things"
seeds = [1, 2]
baseline = "bm25"

[search]
iterations = 5

[budget]
money = 1.5

[methods]
bm25 = "bm25"
"two words" = { method = "rerank( top=50 ,of=bm25)", model = "openai:x", budget = { calls = 9 } }
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "owls.toml"
    path.write_text(text)
    return path


def test_a_file_with_its_paths_and_short_forms(tmp_path: Path) -> None:
    spec = read_experiment(written(tmp_path, GOOD))
    assert spec.name == "owls"
    assert (spec.data, spec.folder) == (str(tmp_path / "things"), tmp_path / "owls.results")
    assert spec.index_path == tmp_path / "owls.results" / "index.leafward" and spec.own_index
    assert spec.methods["bm25"].method == "bm25"
    two = spec.methods["two words"]
    assert (two.method, two.model, two.budget.calls) == ("rerank(of=bm25, top=50)", "openai:x", 9)
    assert spec.search.iterations == 5 and spec.budget.money == 1.5
    assert Folder(spec.folder).journal("two words", 1).name == "two_words.seed1.jsonl"


def test_an_index_from_elsewhere(tmp_path: Path) -> None:
    spec = experiment_from(
        {"data": "irds:beir/scifact", "index": "other", "methods": {"a": "bm25"}},
        tmp_path / "x.toml",
    )
    assert spec.data == "irds:beir/scifact"
    assert spec.index_path == tmp_path / "other" and not spec.own_index


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("data = 1\n[methods]\na = 'bm25'", "data"),
        ("data = 'x'", "methods"),
        ("data = 'x'\n[methods]", "methods"),
        ("data = 'x'\nsurprise = 1\n[methods]\na = 'bm25'", "surprise"),
        ("data = 'x'\n[methods]\na = 'bm26'", "bm25"),
        ("data = 'x'\n[methods]\n'../a' = 'bm25'", "letters, digits"),
        ("data = 'x'\n[methods]\n'a/b' = 'bm25'", "letters, digits"),
        ("data = 'x'\n[methods]\n'' = 'bm25'", "letters, digits"),
        ("data = 'x'\n[methods]\n'.hidden' = 'bm25'", "letters, digits"),
        ("data = 'x'\n[methods]\n'con' = 'bm25'", "letters, digits"),
        ("data = 'x'\n[methods]\nA = 'bm25'\na = 'dense'", "file system"),
        ("data = 'x'\n[methods]\n'a b' = 'bm25'\na_b = 'dense'", "file system"),
        ("data = 'x'\nbaseline = 'c'\n[methods]\na = 'bm25'", "none of the methods"),
        ("data = 'x'\nseeds = [1, 1]\n[methods]\na = 'tree'", "twice"),
        ("data = 'x'\nseeds = []\n[methods]\na = 'tree'", "seeds"),
        ("data = 'x'\nlimit = 0\n[methods]\na = 'tree'", "limit"),
        ("data = 'x'\n[models]\napi_key = 'secret'\n[methods]\na = 'tree'", "variable"),
        ("data = ", "TOML"),
    ],
)
def test_what_cannot_be_run_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_experiment(written(tmp_path, text))
    assert told in caught.value.message and caught.value.hint
    assert "secret" not in caught.value.message


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no experiment file"):
        read_experiment(tmp_path / "none.toml")


def test_the_example_is_one() -> None:
    spec = read_experiment(Path(__file__).parents[3] / "examples" / "experiment.toml")
    assert spec.baseline == "bm25" and spec.methods["rerank"].budget.money == 5.0
