"""Training a policy that writes queries: recipes, a plain loop, bridges to TRL and verl."""

from leafward.training.reading import read_recipe, recipe_from
from leafward.training.recipe import Recipe

__all__ = ["Recipe", "read_recipe", "recipe_from"]
