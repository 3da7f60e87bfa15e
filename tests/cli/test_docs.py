"""What the documentation shows is what happens: its code runs, its reference is complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from leafward.cli import reference
from leafward.testing import ScriptedServer, rules, word_overlap

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))]
LANGUAGES = {"python", "console", "sh", "toml", "text"}
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

PAPERS = {
    "dynamics.md": "# World models\n\nOne-step errors of a learned model add up over a rollout, so "
    "that after some hundred steps it leaves the data it was trained on and diverges.\n\n"
    "## Remedies\n\nTrain on its own predictions over several steps.\n",
    "optimisers.md": "# Optimisers\n\nAdam keeps a running mean of squared gradients.\n",
    "notes.md": "# Notes\n\nMy rollout diverges after step 400. Ask someone why.\n",
    "tokens.txt": "Byte pair encoding merges the most frequent pair of symbols.\n",
    "graphs.html": "<html><body><h1>Graphs</h1><p>A tree has no cycle.</p></body></html>",
}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Block(*found.groups()) for found in _BLOCK.finditer(text)]


def shell(block: Block) -> str:
    """The commands of a console block: what follows its prompts."""
    lines = block.text.splitlines()
    return "\n".join(line.removeprefix("$ ") for line in lines if line.startswith("$ "))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a page's blocks run, in order: beside a few sample files and an index of them."""
    (tmp_path / "papers").mkdir()
    for name, text in PAPERS.items():
        (tmp_path / "papers" / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(command: list[str], folder: Path, base_url: str) -> None:
    """Run one block; every model in it is the scripted one."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LEAFWARD", "OPENAI"))}
    environment = kept | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_API_KEY": "scripted",
        "LEAFWARD_MODELS__BASE_URL": base_url,
        "LEAFWARD_EMBEDDER": "lexical",
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False,
        timeout=300, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs(page: str, folder: Path) -> None:
    script = [rules.summaries, rules.clusters, rules.describe_group, rules.query]
    answers = [*script, rules.oracle_judge(word_overlap), rules.canned({"": "ready"})]
    with ScriptedServer(rules=answers) as server:
        for block in blocks(page):
            if block.language == "console":
                run(["bash", "-euo", "pipefail", "-c", shell(block)], folder, server.base_url)
            elif block.language == "python":
                run([sys.executable, "-W", "error", "-c", block.text], folder, server.base_url)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_say_what_they_are(page: str) -> None:
    """Only console and python blocks run; an sh block is for installing and for local weights."""
    for block in blocks(page):
        assert block.language in LANGUAGES
        if block.language == "console":
            assert all(line.startswith("$ ") for line in block.text.splitlines())
        if block.language == "sh":
            assert "pip install" in block.text


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)?(#[\w-]+)?\)", text):
        path, anchor = target
        if path.startswith("http"):
            continue
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), path
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor[1:] in {_slug(heading) for heading in headings}


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        ("docs/cli.md", reference.commands_page),
        ("docs/json.md", reference.shapes_page),
    ],
)
def test_reference_is_up_to_date(page: str, lines: reference.Page) -> None:
    written = (ROOT / page).read_text(encoding="utf-8").partition(reference.MARK)[2]
    made = "\n".join(lines())
    assert written.strip() == made.strip(), "run: python -m leafward.cli.reference docs"


def test_ci_runs_the_second_command_of_the_readme() -> None:
    """It takes the line from the README itself; here is proof that it finds exactly one."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"^\.venv/bin/pip install .*python -m pytest.*$", readme, re.MULTILINE)
    assert found == [block.text.strip() for block in blocks("README.md")[1:2]]
    pattern = "grep '^\\.venv/bin/pip install .*python -m pytest' README.md"
    assert pattern in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_version_is_said_once_everywhere() -> None:
    import tomllib

    import leafward

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert leafward.__version__ == project["version"]
