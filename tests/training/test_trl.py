"""TRL over our environment: configured for a CPU, told in our curves, merged into a checkpoint."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.training.parts import TEXTS, Unpictured, parts, recipe
from tests.training.tiny import make_checkpoint, needs_torch

from leafward.protocols import Silent
from leafward.training.curves import Curve
from leafward.training.folder import RunFolder
from leafward.training.policy_file import read_policy_file

pytestmark = [
    needs_torch,
    pytest.mark.skipif(find_spec("trl") is None, reason="trl is not installed (extra train)"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.mark.parametrize("lora", [None, {"rank": 4, "alpha": 8}])
def test_a_few_steps(tmp_path: Path, lora: dict[str, int] | None) -> None:
    from leafward.training.trl_bridge import Watcher, settings_of, train_with_trl

    checkpoint = make_checkpoint(tmp_path / "tiny", texts=TEXTS)
    made = recipe(
        tmp_path / "run",
        trainer="trl",
        lora=lora,
        update={"steps": 4, "learning_rate": 1e-2, "kl": 0.01},
    )
    given = parts(made, checkpoint)
    folder, start = RunFolder(made.out), given.load(None)
    settings = settings_of(made, start)
    assert (settings["bf16"], settings["gradient_checkpointing"]) == (False, False)
    watcher = Watcher(
        made,
        given.environment.style,
        given.watched,
        given.score,
        Unpictured(folder),
        folder.best,
        Silent(),
    )
    train_with_trl(made, given.environment, watcher, start, resume=False)
    steps = list(Curve(folder.steps))
    assert [row["step"] for row in steps] == [1, 2, 3, 4]
    assert [row["episodes"] for row in steps] == [12] * 4
    assert all(row["kl"] is not None and row["gradient_norm"] is not None for row in steps)
    assert [row["step"] for row in Curve(folder.watch)] == [0, 2, 4]
    policy = read_policy_file(folder.best)
    assert policy is not None
    assert policy.step == watcher.state.best_step
    saved = given.load(folder.best)
    assert not any("lora" in name for name, _ in saved.model.named_parameters())
