"""The configuration of a verl run: what differs from verl's own defaults, and nothing else.

PPO with GAE and the hyper-parameters of DeepRetrieval (query-writing §5; arXiv 2503.00223).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from leafward.models.causal.sources import HUB
from leafward.training.recipe import Recipe, VerlSpec

CONFIG = "leafward"
REWARD = "pkg://leafward.library.training.verl_reward"
"""Where verl finds the reward function; Leafward is installed in its environment."""


def config_of(recipe: Recipe, folder: Path) -> dict[str, Any]:
    """A Hydra configuration over verl's ``ppo_trainer``; ``folder`` is where its files are."""
    spec = recipe.verl_spec
    return {
        "defaults": ["ppo_trainer", "_self_"],
        "data": _data(recipe, spec, folder),
        "actor_rollout_ref": _actor(recipe, spec),
        "critic": _critic(recipe, spec),
        "algorithm": {
            "adv_estimator": "gae",
            # The penalty is part of the reward, as in PPO for language models.
            "use_kl_in_reward": recipe.update.kl > 0,
            "kl_ctrl": {"type": "fixed", "kl_coef": recipe.update.kl},
        },
        "reward": {
            "custom_reward_function": {
                "path": REWARD,
                "name": "compute_score",
                "reward_kwargs": {"recipe": str(folder / "recipe.json")},
            }
        },
        "trainer": _trainer(recipe, spec, folder),
    }


def _data(recipe: Recipe, spec: VerlSpec, folder: Path) -> dict[str, Any]:
    return {
        "train_files": str(folder / "train.parquet"),
        "val_files": str(folder / "watch.parquet"),
        "train_batch_size": spec.batch,
        "max_prompt_length": spec.prompt_tokens,
        "max_response_length": recipe.rollout.max_tokens,
        "filter_overlong_prompts": True,
        "seed": recipe.seed,
    }


def _actor(recipe: Recipe, spec: VerlSpec) -> dict[str, Any]:
    return {
        "model": {"path": model_path(recipe), "enable_gradient_checkpointing": True},
        "actor": {
            "strategy": "fsdp",
            "optim": {"lr": recipe.update.learning_rate},
            "ppo_mini_batch_size": spec.mini_batch,
            "ppo_micro_batch_size_per_gpu": spec.micro_batch,
            "clip_ratio": 0.2,
        },
        "rollout": {
            "name": spec.rollout,
            "temperature": recipe.rollout.temperature,
            "n": 1,
            "tensor_model_parallel_size": 1,
            "gpu_memory_utilization": spec.gpu_memory,
            "log_prob_micro_batch_size_per_gpu": spec.micro_batch,
        },
        "ref": {"log_prob_micro_batch_size_per_gpu": spec.micro_batch},
    }


def _critic(recipe: Recipe, spec: VerlSpec) -> dict[str, Any]:
    return {
        "model": {"path": model_path(recipe), "enable_gradient_checkpointing": True},
        "optim": {"lr": spec.critic_learning_rate},
        "ppo_micro_batch_size_per_gpu": spec.micro_batch,
    }


def _trainer(recipe: Recipe, spec: VerlSpec, folder: Path) -> dict[str, Any]:
    return {
        "project_name": "leafward",
        "experiment_name": recipe.name,
        "default_local_dir": str(folder / "checkpoints"),
        "logger": ["console", "tensorboard"],
        "total_epochs": spec.epochs,
        "nnodes": spec.machines,
        "n_gpus_per_node": spec.gpus,
        "test_freq": recipe.watch.every,
        "save_freq": recipe.watch.every,
        "max_actor_ckpt_to_keep": 2,
        "max_critic_ckpt_to_keep": 2,
        "resume_mode": "auto",
    }


def model_path(recipe: Recipe) -> str:
    """The model as verl names it: a folder, or a name on the hub."""
    if recipe.model.startswith(HUB):
        return recipe.model.removeprefix(HUB)
    return recipe.model.removeprefix("checkpoint:")


def command_of(folder: Path, spec: VerlSpec) -> tuple[str, ...]:
    """The command that starts it."""
    start = ("python", "-m", "verl.trainer.main_ppo")
    return (*start, f"--config-path={folder}", f"--config-name={CONFIG}", *spec.overrides)
