"""The files of a verl run: data, configuration, and the recipe that its reward function reads."""

from __future__ import annotations

from pathlib import Path

from leafward.errors import SettingsError
from leafward.evaluate.files import write_lines
from leafward.library.training.setting import Setting
from leafward.training.folder import RunFolder
from leafward.training.planning import mean_prompt_tokens
from leafward.training.recipe import Recipe
from leafward.training.verl.config import CONFIG, command_of, config_of
from leafward.training.verl.data import rows, write_parquet
from leafward.training.verl.yaml import as_yaml


def write_verl(recipe: Recipe, setting: Setting) -> tuple[str, ...]:
    """Write everything that verl reads into ``OUT/verl``, and return the command that starts it.

    Raises:
        SettingsError: the model is packed in a GGUF file, which verl does not read; or prompts are
            longer than ``verl.prompt_tokens``, so that verl would leave them out.
        MissingExtra: pyarrow is not installed.
    """
    if recipe.model.startswith("local:"):
        raise SettingsError(
            f"verl cannot load {recipe.model}",
            hint="name hub:OWNER/NAME, or a checkpoint's folder as checkpoint:PATH",
        )
    _check_lengths(recipe, setting)
    folder = RunFolder(recipe.out).verl
    folder.mkdir(parents=True, exist_ok=True)
    write_parquet(folder / "train.parquet", rows(setting.needs.train, setting.style, "train"))
    write_parquet(folder / "watch.parquet", rows(setting.needs.watched, setting.style, "watch"))
    write_lines(folder / "recipe.json", [recipe.model_dump_json()])
    write_lines(folder / f"{CONFIG}.yaml", _config(recipe, folder))
    return command_of(folder, recipe.verl_spec)


def _check_lengths(recipe: Recipe, setting: Setting) -> None:
    """verl drops prompts over the limit without a word; left with none, it ends in its sampler."""
    expected = mean_prompt_tokens(setting.style, setting.needs.train)
    limit = recipe.verl_spec.prompt_tokens
    if expected > limit:
        raise SettingsError(
            f"a prompt has about {expected:,} tokens, and verl leaves out those of over {limit:,}",
            hint=f"set verl.prompt_tokens to {expected * 3 // 2:,} or more",
        )


def _config(recipe: Recipe, folder: Path) -> list[str]:
    head = "# Over verl's own ppo_trainer configuration; made by leafward train --dry-run."
    # Hydra looks for ppo_trainer beside this file, and then where verl keeps it.
    search = {"hydra": {"searchpath": ["pkg://verl.trainer.config"]}}
    return [head, *as_yaml({**config_of(recipe, folder), **search})]
