"""Every example runs as its own process, as its docstring says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import data_set

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str, *arguments: object) -> str:
    """What an example prints; fails where it fails."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LEAFWARD", "OPENAI"))}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_is_a_test_for_every_example() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    for script in EXAMPLES.glob("*.py"):
        assert f'"{script.name}"' in here
        assert script.name in (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "owls.md").write_text("# Owls\n\nOwls hunt mice at night with silent wings.\n")
    (folder / "bread.txt").write_text("Yeast makes bread rise.\n")
    told = example("own_folder.py", folder, "who hunts mice at night?", "lexical")
    assert "2 passages" in told
    assert told.splitlines()[1].startswith("1. ") and "Owls" in told.splitlines()[1]


def test_excluding() -> None:
    lines = dict(line.split(": ") for line in example("excluding.py").splitlines())
    assert set(lines["everything"].split(", ")) == {"owls", "cats", "bats", "ovens", "traps"}
    assert "cats" not in lines["without cats"]
    assert set(lines["kitchen only"].split(", ")) == {"ovens", "traps"}
    assert set(lines["2023 or 2024"].split(", ")) == {"cats", "bats", "ovens", "traps"}


def test_compatible_server() -> None:
    told = example("compatible_server.py")
    assert "planned: " in told and "used: " in told
    assert len([line for line in told.splitlines() if line.startswith("0.")]) >= 1


@pytest.fixture
def set_of_claims(tmp_path: Path) -> Path:
    """A BEIR set of six documents and two queries."""
    texts = ["owls hunt mice", "cats purr", "yeast in bread", "iron rusts", "rain falls", "glass"]
    rows = [{"_id": f"d{n}", "title": "", "text": text} for n, text in enumerate(texts)]
    asked = [{"_id": "q0", "text": "owls hunt mice"}, {"_id": "q1", "text": "iron rusts"}]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq0\td0\t1\nq1\td3\t1\n"
    )
    return tmp_path


def test_beir_set(set_of_claims: Path) -> None:
    lines = example("beir_set.py", set_of_claims, "lexical").splitlines()
    assert [line.split()[:3] for line in lines] == [
        [method, "nDCG@10", "1.000"] for method in ("tree", "bm25", "dense")
    ]


@pytest.mark.real_data
def test_beir_set_on_real_paragraphs() -> None:
    """240 paragraphs of Wikipedia, whose questions BM25 answers nearly always."""
    paragraphs = data_set("xquad_en_paragraphs")
    lines = example("beir_set.py", paragraphs, "lexical", 10).splitlines()
    assert float(lines[1].split()[2]) > 0.8
