"""What we write for verl, read by verl itself; runs only in an environment that has it.

VERL_ENVIRONMENT/bin/python -m pytest tests/training/verl
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.library.training.small import make_data, small_recipe
from tests.training.tiny import make_checkpoint

from leafward.library.training.for_verl import write_verl
from leafward.library.training.setting import Setting
from leafward.settings import Settings

pytest.importorskip("verl", reason="verl has an environment of its own (docs/training.md)")

pytestmark = pytest.mark.filterwarnings("ignore")  # what verl and Ray warn of is not ours

TEN_MINUTES = 600


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a small run whose model is made here."""
    place = tmp_path_factory.mktemp("verl")
    make_checkpoint(place / "tiny")
    recipe = small_recipe(
        make_data(place),
        trainer="verl",
        prompt={},
        model=f"checkpoint:{place / 'tiny'}",
        update={"learning_rate": 1e-6, "kl": 0.001},
        # The tiny tokenizer has a token a byte.
        verl={"gpus": 1, "batch": 4, "mini_batch": 2, "micro_batch": 1, "prompt_tokens": 8000},
    )
    with Setting(recipe, Settings()) as setting:
        write_verl(recipe, setting)
    return next(place.rglob("leafward.yaml")).parent


@pytest.fixture(scope="module")
def config(folder: Path) -> Any:
    """Our configuration over verl's own."""
    from hydra import compose, initialize_config_dir

    with initialize_config_dir(config_dir=str(folder), version_base=None):
        return compose("leafward")


def test_the_configuration_passes_verls_validation(config: Any) -> None:
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config

    assert need_critic(config) and need_reference_policy(config)
    validate_config(config=config, use_reference_policy=True, use_critic=True)
    assert config.algorithm.adv_estimator == "gae"
    assert config.algorithm.kl_ctrl.kl_coef == 0.001
    assert config.actor_rollout_ref.actor.optim.lr == 1e-6
    assert config.critic.optim.lr == 1e-5


async def test_its_data_set_reads_ours_and_its_loader_our_reward(config: Any) -> None:
    from transformers import AutoTokenizer
    from verl.trainer.ppo.reward import get_custom_reward_fn
    from verl.utils.dataset.rl_dataset import RLHFDataset

    tokenizer = AutoTokenizer.from_pretrained(config.actor_rollout_ref.model.path)
    data = RLHFDataset(config.data.train_files, tokenizer, config.data)
    row = data[0]
    assert len(data) == 26
    assert row["raw_prompt"][-1]["role"] == "user"
    truth = row["reward_model"]["ground_truth"]
    pico = json.loads(truth)["pico"]
    drug, outcome = pico["I"].split()[0], pico["O"].split()[0]
    score = get_custom_reward_fn(config)

    async def worth(completion: str) -> float:
        told = await score(
            data_source=row["data_source"], solution_str=completion, ground_truth=truth
        )
        return float(told["score"])

    def answer(query: str) -> str:
        return f'<think>t</think><answer>{{"query": "{query}"}}</answer>'

    assert await worth(answer(f"{drug} AND {outcome}")) == 6.0
    assert await worth(answer("zinc")) == -2.5
    assert await worth(answer("(zinc")) == -3.0
    assert await worth('<answer>{"query": "zinc"}</answer>') == -4.0


@pytest.mark.slow
def test_a_local_ray_cluster_starts_the_trainer_as_far_as_the_missing_gpu(folder: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU: it would train")
    command = [sys.executable, "-m", "verl.trainer.main_ppo", f"--config-path={folder}"]
    command += ["--config-name=leafward", "ray_kwargs.ray_init.num_cpus=32"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "TOKENIZERS_PARALLELISM": "false"},
        capture_output=True,
        text=True,
        timeout=TEN_MINUTES,
        check=False,
    )
    told = done.stdout + done.stderr
    assert "Total available GPUs 0 is less than total desired GPUs 1" in told, told[-3000:]
