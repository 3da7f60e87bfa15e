"""The plan of a recipe; for verl with the files that its command reads."""

from __future__ import annotations

from leafward.library.training.setting import Setting
from leafward.settings import Settings
from leafward.training.planning import TrainingPlan, make_plan
from leafward.training.recipe import Recipe


def plan_recipe(recipe: Recipe, *, settings: Settings | None = None) -> TrainingPlan:
    """What a run will take. Opens the engine and reads the needs, and loads no model.

    For verl it writes data and configuration into ``OUT/verl``, and tells the command.

    Raises:
        LeafwardError: what opening the engine or reading the needs raises.
    """
    with Setting(recipe, settings or Settings()) as setting:
        command: tuple[str, ...] = ()
        if recipe.trainer == "verl":
            from leafward.library.training.for_verl import write_verl

            command = write_verl(recipe, setting)
        needs = (setting.needs.train, setting.needs.watched, setting.needs.compared)
        return make_plan(recipe, setting.style, needs, command)
