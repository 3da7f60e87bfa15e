"""The plain loop learns, leaves our failures out, and goes on as if it had never been killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.training.parts import TEXTS, parts, recipe
from tests.training.tiny import make_checkpoint, needs_torch

from leafward.errors import Interrupted
from leafward.training.curves import Curve

pytestmark = needs_torch
ROOT = Path(__file__).parents[2]
TIMES = {"sampling_seconds", "update_seconds"}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("tiny"), texts=TEXTS)


def rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a curve without how long they took."""
    return [{k: v for k, v in row.items() if k not in TIMES} for row in Curve(path)]


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


def test_the_policy_learns_what_the_engine_rewards(checkpoint: Path, tmp_path: Path) -> None:
    from leafward.training.loop import train

    made = recipe(
        tmp_path / "run",
        update={"steps": 30, "learning_rate": 3e-3, "measure_kl": 1},
        rollout={"needs": 4, "group": 8, "max_tokens": 2},
        watch={"every": 10},
    )
    state = train(parts(made, checkpoint))
    steps, watched = rows(tmp_path / "run" / "steps.jsonl"), rows(tmp_path / "run" / "watch.jsonl")
    assert [row["step"] for row in steps] == list(range(1, 31))
    assert [row["step"] for row in watched] == [0, 10, 20, 30]
    assert sum(row["reward"] for row in steps[-5:]) / 5 > 5
    assert sum(row["reward"] for row in steps[:3]) / 3 < 3
    assert watched[-1]["reward"] == state.best == 6.0
    assert steps[0]["kl"] == pytest.approx(0, abs=1e-6)
    assert steps[-1]["kl"] > 0.1
    assert steps[-1]["levels"]["5"] > 0.8


def test_a_run_that_is_killed_goes_on_as_one_that_was_not(checkpoint: Path, tmp_path: Path) -> None:
    from leafward.training.loop import train

    train(parts(recipe(tmp_path / "whole"), checkpoint))
    script = (
        "import sys, os, signal\n"
        "from pathlib import Path\n"
        "from tests.training.parts import parts, recipe\n"
        "import leafward.training.loop as loop\n"
        "inner = loop.update\n"
        "def update(*given, **named):\n"
        "    update.count += 1\n"
        "    if update.count == 4: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return inner(*given, **named)\n"
        "update.count = 0\n"
        "loop.update = update\n"
        "loop.train(parts(recipe(Path(sys.argv[1])), Path(sys.argv[2])))\n"
    )
    place = tmp_path / "killed"
    done = subprocess.run(
        [sys.executable, "-c", script, str(place), str(checkpoint)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert [row["step"] for row in rows(place / "steps.jsonl")] == [1, 2, 3]
    with (place / "steps.jsonl").open("a") as file:
        file.write('{"step": 4, "rew')  # as a line looks that a kill cut off
    train(parts(recipe(place), checkpoint))
    assert rows(place / "steps.jsonl") == rows(tmp_path / "whole" / "steps.jsonl")
    assert rows(place / "watch.jsonl") == rows(tmp_path / "whole" / "watch.jsonl")
    assert weights(place / "best") == weights(tmp_path / "whole" / "best")
    last = Path("checkpoints") / "000006"
    assert weights(place / last) == weights(tmp_path / "whole" / last)


def test_our_failures_teach_nothing_and_are_counted(checkpoint: Path, tmp_path: Path) -> None:
    from leafward.training.loop import train

    made = recipe(
        tmp_path / "run",
        update={"steps": 2, "learning_rate": 1e-3},
        rollout={"needs": 3, "group": 4, "max_tokens": 1},
    )
    train(parts(made, checkpoint, fails=1.0))
    steps = rows(tmp_path / "run" / "steps.jsonl")
    assert all(0 < row["unscored"] < row["episodes"] for row in steps)  # format errors are scored
    made = recipe(tmp_path / "all", update={"steps": 2, "learning_rate": 1e-3})
    lost = parts(made, checkpoint)
    nothing = replace(
        lost,
        score=lambda texts, ids: [replace(each, score=None) for each in lost.score(texts, ids)],
    )
    train(nothing)
    steps = rows(tmp_path / "all" / "steps.jsonl")
    assert [(row["unscored"], row["reward"], row["flat"]) for row in steps] == [(12, None, 1.0)] * 2
    assert [row["gradient_norm"] for row in steps] == [0.0, 0.0]
    assert weights(tmp_path / "all" / "checkpoints" / "000002") == weights(
        tmp_path / "all" / "best"
    )


def test_stopping_leaves_a_checkpoint_to_go_on_from(checkpoint: Path, tmp_path: Path) -> None:
    from leafward.training.loop import train

    train(parts(recipe(tmp_path / "whole"), checkpoint))
    stopped = parts(recipe(tmp_path / "run"), checkpoint)
    inner, count = stopped.score, [0]

    def score(texts: Any, ids: Any) -> Any:
        count[0] += len(texts) == 12
        if count[0] == 3:
            stopped.stop.set()
        return inner(texts, ids)

    with pytest.raises(Interrupted, match="after step 3"):
        train(replace(stopped, score=score))
    assert json.loads((tmp_path / "run/checkpoints/000003/state.json").read_text())["step"] == 3
    train(parts(recipe(tmp_path / "run"), checkpoint))
    assert rows(tmp_path / "run" / "steps.jsonl") == rows(tmp_path / "whole" / "steps.jsonl")
    assert weights(tmp_path / "run" / "best") == weights(tmp_path / "whole" / "best")


def test_training_ends_when_the_reward_no_longer_rises(checkpoint: Path, tmp_path: Path) -> None:
    from leafward.training.loop import train

    made = recipe(
        tmp_path / "run",
        update={"steps": 50, "learning_rate": 1e-12},
        watch={"every": 2, "patience": 3},
    )
    state = train(parts(made, checkpoint))
    assert (state.step, state.best_step, state.waited) == (6, 0, 3)
    kept = sorted(path.name for path in (tmp_path / "run" / "checkpoints").iterdir())
    assert kept == ["000000", "000006"]
    assert json.loads((tmp_path / "run/best/leafward.json").read_text())["step"] == 0
