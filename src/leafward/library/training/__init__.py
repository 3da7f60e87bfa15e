"""Training for users: a recipe with its engine, needs and models opened, and what came of it."""

from leafward.library.training.planning import plan_recipe
from leafward.library.training.running import TrainingReport, train_recipe

__all__ = ["TrainingReport", "plan_recipe", "train_recipe"]
