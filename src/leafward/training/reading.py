"""From a TOML file to a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from leafward.toml_files import explained, read_toml
from leafward.training.recipe import CompareSpec, EngineSpec, Recipe


def read_recipe(path: str | Path) -> Recipe:
    """Read and check a recipe; relative paths in it become absolute.

    Raises:
        SettingsError: the file is missing, no TOML, or says something that cannot be run.
    """
    path = Path(path)
    given = read_toml(path, what="recipe", example="recipes/pico-smollm2.toml")
    return recipe_from(given, path)


def recipe_from(given: Mapping[str, Any], path: Path) -> Recipe:
    """A recipe from a parsed file; ``path`` is where it stands (it need not exist).

    Raises:
        SettingsError: as :func:`read_recipe`.
    """
    try:
        recipe = Recipe.model_validate(given)
    except ValidationError as error:
        raise explained(error, path, page="docs/training.md") from error
    folder = path.absolute().parent
    needs = recipe.needs.model_copy(update={"source": _placed(folder, recipe.needs.source)})
    out = recipe.out if recipe.out != Path() else Path(f"{path.stem}.run")
    return recipe.model_copy(
        update={
            "name": recipe.name or path.stem,
            "model": _model(folder, recipe.model),
            "engine": _engine(folder, recipe.engine),
            "needs": needs,
            "compare": _compare(folder, recipe.compare, needs.source),
            "out": _placed(folder, out),
        }
    )


def _placed(folder: Path, path: Path) -> Path:
    return (folder / path.expanduser()).resolve()


def _engine(folder: Path, spec: EngineSpec) -> EngineSpec:
    kind, colon, target = spec.name.partition(":")
    name = f"{kind}:{_placed(folder, Path(target.strip()))}" if colon else spec.name
    corpora = tuple(_placed(folder, path) for path in spec.corpora)
    return spec.model_copy(update={"name": name, "corpora": corpora})


def _compare(folder: Path, spec: CompareSpec, needs: Path) -> CompareSpec:
    source = needs if spec.source is None else _placed(folder, spec.source)
    others = {
        label: other.model_copy(update={"model": _model(folder, other.model)})
        for label, other in spec.others.items()
    }
    return spec.model_copy(update={"source": source, "others": others})


def _model(folder: Path, spec: str) -> str:
    """A model's specification; of a path that belongs to it the absolute one."""
    kind, colon, target = spec.partition(":")
    if colon and (kind == "checkpoint" or (kind == "local" and target.endswith(".gguf"))):
        return f"{kind}:{_placed(folder, Path(target))}"
    return spec
