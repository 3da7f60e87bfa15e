"""Must show 7: ``kill -9`` at 30 random moments of a build costs what was in flight, no more."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.acceptance.killing import Builds, environment
from tests.acceptance.samples import building_rules, sample
from tests.acceptance.serving import idle, settings, stored_prompts, until

import leafward
from leafward.errors import IndexNotFound
from leafward.testing import Noise, ScriptedServer, Uniform, rules
from leafward.types import Tree

SAMPLE = sample(60, 6)
IN_FLIGHT = 4
BUILD = {"branching": 10, "summary_batch": 8, "probe_documents": 1, "concurrency": IN_FLIGHT}
SEARCH = {"beam": 2, "iterations": 4, "candidate_tokens": 40}
SINGLE, CHAINS, PUBLISHING, REBUILDING = 8, (5, 5, 4), 3, 5  # 30 in all


@dataclass(frozen=True)
class Whole:
    """What an undisturbed build ends in, what it asks, and how long its publication takes."""

    tree: Tree
    summaries: list[tuple[str, ...]]
    prompts: frozenset[str]
    publication: float


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    judge = rules.noisy_judge(SAMPLE.oracle(), Noise(0.8, 0.25, 0.15))
    with ScriptedServer(rules=building_rules(judge), latency=Uniform(0.001, 0.012)) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def builds(server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builds]:
    source = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    source.write_text(
        "".join(
            json.dumps({"_id": one.id, "title": one.title, "text": one.text}) + "\n"
            for one in SAMPLE.documents
        )
    )
    given = settings(server.base_url, build=BUILD, search=SEARCH, models={"concurrency": IN_FLIGHT})
    plain = given.model_dump(mode="json")
    plain["models"]["api_key"] = "k"  # which a dump hides
    with Builds({"source": str(source), "settings": plain}) as started:
        yield started


@pytest.fixture(scope="module")
def whole(
    server: ScriptedServer, builds: Builds, tmp_path_factory: pytest.TempPathFactory
) -> Whole:
    path = tmp_path_factory.mktemp("whole") / "i"
    builds.start(path)
    assert until(lambda: _drafted(path))
    drafted = time.monotonic()
    builds.wait()
    publication = time.monotonic() - drafted
    stats = idle(server)
    assert stats.paid_twice == 0
    tree, summaries = _read(path)
    return Whole(tree, summaries, frozenset(stats.prompts), publication)


def _read(path: Path) -> tuple[Tree, list[tuple[str, ...]]]:
    assert leafward.verify(path).problems == ()
    with leafward.open(path) as index:
        return index.tree, [index.summaries(leaf) for leaf in index.tree.leaves]


def _drafted(path: Path) -> bool:
    """Whether a build there has begun to write what it will publish."""
    return any((path / "generations").glob("*"))


def _prompts_lost(server: ScriptedServer, path: Path) -> set[str]:
    """Prompts whose answers a kill has cost: asked by then, and not stored."""
    asked = set(idle(server).prompts)
    try:
        problems = [problem.what for problem in leafward.verify(path).problems]
    except IndexNotFound:  # killed before there was anything
        assert not asked
        return set()
    assert problems in ([], ["no finished build"])
    stored = stored_prompts(path)
    assert set(stored) <= asked
    assert len(stored) == len(set(stored))
    return asked - set(stored)


def _finish(
    server: ScriptedServer, builds: Builds, path: Path, whole: Whole, lost: Counter[str]
) -> None:
    """Resume a killed build: it ends as if undisturbed, and pays again for what was lost alone.

    ``lost`` counts by prompt how often a kill has cost its answer.
    """
    builds.start(path)
    builds.wait()
    stats = idle(server)
    assert Counter(stats.paid) - Counter(stats.paid.keys()) <= lost
    assert stats.prompts.keys() == whole.prompts
    assert _read(path) == (whole.tree, whole.summaries)


def _die(server: ScriptedServer, builds: Builds, path: Path, requests: int, delay: float) -> bool:
    """Build until so many requests have arrived and a little more; then die, if still alive."""
    builds.start(path)
    assert server.wait(requests)
    time.sleep(delay)
    return builds.kill()


@pytest.mark.parametrize("moment", range(SINGLE))
def test_killed_once_at_a_random_moment(
    server: ScriptedServer, builds: Builds, whole: Whole, tmp_path: Path, moment: int
) -> None:
    server.reset()
    draw = random.Random(moment)
    requests = round(len(whole.prompts) * (moment + draw.random()) / SINGLE)  # all stages alike
    assert _die(server, builds, tmp_path / "i", requests, draw.uniform(0, 0.01))
    lost = Counter(_prompts_lost(server, tmp_path / "i"))
    assert len(lost) <= IN_FLIGHT
    _finish(server, builds, tmp_path / "i", whole, lost)


@pytest.mark.parametrize(("seed", "kills"), list(enumerate(CHAINS)))
def test_killed_again_and_again(
    server: ScriptedServer, builds: Builds, whole: Whole, tmp_path: Path, seed: int, kills: int
) -> None:
    server.reset()
    draw = random.Random(100 + seed)
    lost: Counter[str] = Counter()
    twice = 0
    for kill in range(1, kills + 1):
        requests = round(len(whole.prompts) * (kill - draw.random()) / kills) + twice
        assert _die(server, builds, tmp_path / "i", requests, draw.uniform(0, 0.01))
        lost_now = _prompts_lost(server, tmp_path / "i")
        assert len(lost_now) <= IN_FLIGHT
        lost.update(lost_now)
        twice = server.stats().requests - len(server.stats().prompts)
    _finish(server, builds, tmp_path / "i", whole, lost)


@pytest.mark.parametrize("moment", range(PUBLISHING))
def test_killed_while_it_publishes(
    server: ScriptedServer, builds: Builds, whole: Whole, tmp_path: Path, moment: int
) -> None:
    path = tmp_path / "i"
    server.reset()
    delay = whole.publication * (moment + random.Random(moment).random()) / PUBLISHING
    builds.start(path)
    assert until(lambda: _drafted(path))
    time.sleep(delay)
    builds.kill()
    assert _prompts_lost(server, path) == set()  # all was paid and saved by then
    before = idle(server)
    _finish(server, builds, path, whole, Counter())
    assert server.stats().prompts == before.prompts


def test_a_rebuild_that_is_killed_leaves_the_index_searchable(
    server: ScriptedServer, builds: Builds, whole: Whole, tmp_path: Path
) -> None:
    path = tmp_path / "i"
    builds.start(path)
    builds.wait()
    started = time.monotonic()
    builds.start(path, force=True)
    builds.wait()
    lasts, generations = time.monotonic() - started, [2]
    for moment in range(REBUILDING):
        builds.start(path, force=True)
        time.sleep(lasts * (moment + random.Random(moment).random()) / REBUILDING)
        builds.kill()
        assert _read(path) == (whole.tree, whole.summaries)
        with leafward.open(path) as index:
            generations.append(index.build_report.generation)
            assert index.search(SAMPLE.queries[0].text).hits
    assert generations == sorted(generations)


def test_what_the_command_line_began_can_be_finished_by_anyone(
    server: ScriptedServer, builds: Builds, whole: Whole, tmp_path: Path
) -> None:
    server.reset()
    path = tmp_path / "i"
    killed = _command(builds, path)
    assert server.wait(len(whole.prompts) // 2)
    killed.kill()
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    lost = _prompts_lost(server, path)
    assert len(lost) <= IN_FLIGHT
    _finish(server, builds, path, whole, Counter(lost))


def _command(builds: Builds, index: Path) -> subprocess.Popen[str]:
    """``leafward index`` with the settings of the other builds."""
    environ = environment()
    for section, values in builds.job["settings"].items():
        for name, value in values.items() if isinstance(values, dict) else [("", values)]:
            variable = f"LEAFWARD_{section}{'__' if name else ''}{name}".upper()
            if value is not None:
                environ[variable] = value if isinstance(value, str) else json.dumps(value)
    command = [sys.executable, "-m", "leafward", "index", builds.job["source"], str(index)]
    return subprocess.Popen(
        [*command, "--yes", "--json"],
        cwd=index.parent,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
