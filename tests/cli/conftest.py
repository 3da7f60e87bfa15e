"""A command line in process, and small indexes to run it on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.running import Leafward, Ran
from typer.testing import CliRunner

from leafward.cli.app import app

ANIMALS = {
    "cats": "Cats purr when they are content and hunt mice at night.",
    "dogs": "Dogs bark at strangers and fetch sticks in the park.",
    "owls": "Owls hunt mice at night with silent wings.",
    "bread": "Bread rises because yeast makes gas in warm dough.",
    "cake": "A cake needs sugar, butter, eggs and a warm oven.",
    "soup": "Soup of leeks and potatoes simmers for an hour.",
    "rust": "Iron rusts when water and oxygen meet its surface.",
    "glass": "Glass is sand that was molten and cooled quickly.",
    "steel": "Steel is iron with a little carbon, hard and tough.",
    "rain": "Rain falls when droplets in a cloud grow too heavy.",
    "wind": "Wind blows from high pressure to low pressure.",
    "snow": "Snow forms when water vapour freezes in cold clouds.",
}


@pytest.fixture
def leafward(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Leafward:
    """Run a command in process, in an empty folder, without settings from the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LEAFWARD_MODEL", "LEAFWARD_EMBEDDER"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object, typed: str | None = None) -> Ran:
        result = CliRunner().invoke(app, [str(each) for each in arguments], input=typed)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve short documents as JSON lines, with a metadata field ``kind``."""
    path = tmp_path_factory.mktemp("corpus") / "things.jsonl"
    path.write_text("".join(_rows(list(ANIMALS.items()))), encoding="utf-8")
    return path


def _rows(items: Sequence[tuple[str, str]]) -> list[str]:
    kinds = ("animal", "food", "matter", "weather")
    return [
        json.dumps(
            {"_id": name, "title": name.title(), "text": text, "kind": kinds[n // 3], "number": n}
        )
        + "\n"
        for n, (name, text) in enumerate(items)
    ]


@pytest.fixture(scope="session")
def index(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model-free index of the corpus, made by the command itself; read it only."""
    path = tmp_path_factory.mktemp("index") / "things.leafward"
    arguments = ["index", str(corpus), str(path), "-e", "lexical", "--branching", "4", "-q"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stderr
    return path
