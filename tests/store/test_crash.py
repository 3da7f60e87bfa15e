"""kill -9 at any moment of a build leaves the old generation or the new one, whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from leafward.store import Store, verify

ROOT = Path(__file__).parents[2]


def start(name: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.crashing", name, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_killed_at_every_step_of_a_publication(tmp_path: Path) -> None:
    output, errors = start("sweep", tmp_path).communicate()
    assert errors == ""
    rows = [line.split("\t") for line in output.splitlines()]
    assert len(rows) > 50
    assert [row[1] for row in rows] == ["True"] * (len(rows) - 1) + ["False"]
    seen = [row[2] for row in rows]
    flipped = seen.index("two")
    assert seen == ["one"] * flipped + ["two"] * (len(rows) - flipped)
    assert 0 < flipped < len(rows) - 1  # killed on both sides of the commit
    for _, _, _, texts, problems, then, later_problems, stray_folders in rows:
        assert (texts, problems) == ("3", "[]")
        assert (then, later_problems, stray_folders) == ("three", "[]", "[]")


def test_killed_at_random_moments_again_and_again(tmp_path: Path) -> None:
    rng = random.Random(0)
    said = 0
    for _ in range(6):
        process = start("for-ever", tmp_path / "i")
        assert process.stdout is not None and process.stderr is not None
        said = int(process.stdout.readline())
        time.sleep(rng.uniform(0, 0.1))
        os.kill(process.pid, signal.SIGKILL)
        said = max([said, *(int(line) for line in process.stdout if line.endswith("\n"))])
        assert process.stderr.read() == ""
        process.communicate()
        assert verify(tmp_path / "i").problems == ()
        with Store.open(tmp_path / "i") as store:
            snapshot = store.snapshot()
            turn = int(snapshot.fingerprint)
            assert turn in (said, said + 1)  # what was said is there; one more may be
            texts = [document.text for document in snapshot.documents(range(5 + turn % 7))]
            assert texts == [f"text {turn} of {n}" for n in range(5 + turn % 7)]
