"""TRL's GRPOTrainer over our environment: for one GPU, or for low-rank adapters.

TRL trains in bfloat16 with gradient checkpointing unless told otherwise. On a GPU that saves
memory; a processor without matrix units for bfloat16 computes it several times slower than single
precision, and checkpointing adds a third forward to each step. Both are off here on a CPU.
"""

from __future__ import annotations

import copy
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from leafward.errors import MissingExtra
from leafward.models.causal import CausalModel
from leafward.protocols import Progress
from leafward.store.files import seal
from leafward.training.board import Board
from leafward.training.checkpoints import State
from leafward.training.curves import row_of
from leafward.training.drawing import Scoring, answer, turns_of
from leafward.training.folder import RunFolder
from leafward.training.policy_file import policy_of
from leafward.training.recipe import Recipe
from leafward.types import Episode, Need
from leafward.writing import Environment, Style, tally

STEPS = "training"


@dataclass
class Watcher:
    """What a run tells while TRL trains: a row for each step, and greedy answers now and then."""

    recipe: Recipe
    style: Style
    watched: Sequence[Need]
    score: Scoring
    board: Board
    best: Path
    progress: Progress
    state: State = field(default_factory=State)
    judged: list[Episode] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def rewards(
        self, needs: dict[str, Need], completions: Sequence[str], ids: Sequence[str]
    ) -> list[float | None]:
        """Rewards for TRL; None where our own failure left nothing to judge by, which it leaves out
        of the group."""
        self.judged = self.score(completions, [needs[each] for each in ids])
        return [episode.reward for episode in self.judged]

    def stepped(self, step: int, logs: dict[str, float]) -> None:
        """A step was taken; TRL's own figures come along."""
        now = time.perf_counter()
        facts = {
            "loss": logs.get("loss"),
            "kl": logs.get("kl"),
            "gradient_norm": logs.get("grad_norm"),
            "sampling_seconds": 0.0,
            "update_seconds": now - self.began,
        }
        self.began = now
        self.board.step(row_of(step, tally(self.judged), facts))
        self.progress.advance(STEPS)

    def watch(self, step: int, model: Any, tokenizer: Any) -> None:
        """Answer the needs held out, and keep the policy where it is the best so far."""
        base = model.get_base_model() if hasattr(model, "get_base_model") else model
        base.eval()
        policy = CausalModel(base, tokenizer)
        episodes = answer(policy, self.style, self.watched, self.score, self.recipe)
        base.train()
        summed = tally(episodes)
        self.board.watch(row_of(step, summed, {}))
        self.state = State(step, self.state.best, self.state.best_step).watched(summed.reward)
        if self.state.best_step == step:
            self._keep(step, model, tokenizer)
        self.began = time.perf_counter()

    def _keep(self, step: int, model: Any, tokenizer: Any) -> None:
        """Write the policy, adapters merged."""
        if hasattr(model, "merge_and_unload"):
            model = copy.deepcopy(model).merge_and_unload()
        part = self.best.with_name(".best.part")
        shutil.rmtree(part, ignore_errors=True)
        CausalModel(model, tokenizer).save(part)
        policy = policy_of(self.style, self.recipe)
        policy.model_copy(update={"step": step}).write(part)
        seal(part)
        shutil.rmtree(self.best, ignore_errors=True)
        part.rename(self.best)


def train_with_trl(
    recipe: Recipe,
    environment: Environment,
    watcher: Watcher,
    start: CausalModel,
    *,
    resume: bool,
) -> None:
    """Train with TRL to the end of the recipe.

    Raises:
        MissingExtra: trl, peft or datasets is not installed.
    """
    try:
        import datasets
        import trl
        from transformers import PrinterCallback
    except ImportError as error:
        raise MissingExtra(error.name or "trl", "train") from error
    needs = {need.id: need for need in environment.needs}
    _bind_stops(recipe, start)

    def reward(completions: list[str], need: list[str], **_: Any) -> list[float | None]:
        return watcher.rewards(needs, completions, need)

    trainer = trl.GRPOTrainer(
        model=start.model,
        reward_funcs=reward,
        args=trl.GRPOConfig(**settings_of(recipe, start)),
        train_dataset=datasets.Dataset.from_list(rows_of(recipe, environment, start)),
        processing_class=start.tokenizer,
        peft_config=_lora(recipe),
        callbacks=[_callback(recipe, watcher, start.tokenizer)],
    )
    trainer.remove_callback(PrinterCallback)  # results alone go to stdout
    watcher.progress.start(STEPS, recipe.update.steps)
    if not resume:
        watcher.watch(0, trainer.model, start.tokenizer)
    trainer.train(resume_from_checkpoint=resume)
    watcher.progress.finish(STEPS)


def settings_of(recipe: Recipe, model: CausalModel) -> dict[str, Any]:
    """Arguments of ``trl.GRPOConfig`` for a recipe, on the device that the model is on."""
    cpu = model.device.type == "cpu"
    stops = list(_stops(recipe))
    return {
        "output_dir": str(RunFolder(recipe.out).trl),
        "per_device_train_batch_size": recipe.samples,
        "gradient_accumulation_steps": 1,
        "num_generations": recipe.rollout.group,
        "max_completion_length": recipe.rollout.max_tokens,
        "temperature": recipe.rollout.temperature,
        "generation_kwargs": {"stop_strings": stops} if stops else None,
        "beta": recipe.update.kl,
        "learning_rate": recipe.update.learning_rate,
        "lr_scheduler_type": "constant",
        "weight_decay": 0.0,
        "max_grad_norm": recipe.update.clip_norm,
        "scale_rewards": "group" if recipe.update.advantage == "group" else "none",
        "loss_type": "dapo",  # over all tokens, as in the plain loop
        "max_steps": recipe.update.steps,
        "use_cpu": cpu,
        "bf16": not cpu,
        "gradient_checkpointing": not cpu,
        "logging_steps": 1,
        "save_steps": recipe.watch.every,
        "save_total_limit": 2,
        "seed": recipe.seed,
        "shuffle_dataset": False,
        "remove_unused_columns": False,
        "report_to": [],
        "disable_tqdm": True,
        "dataloader_pin_memory": not cpu,
    }


def rows_of(recipe: Recipe, environment: Environment, model: CausalModel) -> list[dict[str, str]]:
    """The prompts of every step in order, as text that ends where the model goes on."""
    return [
        {"prompt": model.text(turns_of(environment.style.prompt(need))), "need": need.id}
        for step in range(recipe.update.steps)
        for need in environment.batch(step, recipe.rollout.needs)
    ]


def _stops(recipe: Recipe) -> tuple[str, ...]:
    from leafward.writing.framing import STOPS

    return STOPS if recipe.prompt.prefilled and recipe.prompt.stop else ()


def _bind_stops(recipe: Recipe, model: CausalModel) -> None:
    """Stop strings are found by the tokenizer, which TRL does not hand to ``generate``."""
    if model.tokenizer.pad_token_id is None:
        model.tokenizer.pad_token = model.tokenizer.eos_token
    if _stops(recipe):
        model.model.generate = partial(model.model.generate, tokenizer=model.tokenizer)


def _lora(recipe: Recipe) -> Any:
    if recipe.lora is None:
        return None
    try:
        from peft import LoraConfig
    except ImportError as error:
        raise MissingExtra("peft", "train") from error
    return LoraConfig(
        r=recipe.lora.rank,
        lora_alpha=recipe.lora.alpha,
        lora_dropout=recipe.lora.dropout,
        target_modules=recipe.lora.targets,
        task_type="CAUSAL_LM",
    )


def _callback(recipe: Recipe, watcher: Watcher, tokenizer: Any) -> Any:
    from transformers import TrainerCallback

    class Telling(TrainerCallback):  # type: ignore[misc]
        """Tells the watcher of steps."""

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if logs and "loss" in logs:
                watcher.stepped(state.global_step, logs)

        def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> Any:
            if state.global_step % recipe.watch.every == 0:
                watcher.watch(state.global_step, given["model"], tokenizer)
            return control

    return Telling()
