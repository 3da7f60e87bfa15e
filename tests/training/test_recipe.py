"""Recipes say what can be run, or where they are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.training.parts import recipe

from leafward.errors import IndexBusy, SettingsError
from leafward.training import read_recipe, recipe_from
from leafward.training.folder import RunFolder

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))
SMALL: dict[str, Any] = {
    "model": "local:smollm2-135m",
    "engine": {"name": "bm25:idx"},
    "reward": "ndcg@10",
    "needs": {"source": "data"},
}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_ours_are_read(path: Path) -> None:
    made = read_recipe(path)
    assert made.name == path.stem
    assert made.needs.source.is_absolute()
    assert made.out.name == path.stem


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    made = recipe_from({**SMALL, "model": "checkpoint:old/best"}, tmp_path / "mine.toml")
    assert made.name == "mine"
    assert made.out == (tmp_path / "mine.run").resolve()
    assert made.engine.name == f"bm25:{(tmp_path / 'idx').resolve()}"
    assert made.model == f"checkpoint:{(tmp_path / 'old/best').resolve()}"
    assert made.compare.source == made.needs.source == (tmp_path / "data").resolve()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reward": "luck"}, "reward: there is no reward 'luck'"),
        ({"trainer": "ppo"}, "trainer"),
        ({"engine": {"name": "boolean"}}, "engine: say boolean:INDEX, or give corpora"),
        ({"engine": {"name": "sql", "corpora": ["a"]}}, "is named boolean or bm25"),
        ({"needs": {"source": "d", "limit": 50, "watch": 50}}, "all of the limit"),
        ({"lora": {"rank": 8}}, 'lora is for trainer="trl"'),
        ({"trainer": "verl", "prompt": {"prefilled": True}}, "prefilled is not for it"),
        ({"trainer": "verl", "cold_start": {}}, "cold-start it with the plain loop"),
        ({"trainer": "verl", "verl": {"batch": 10, "mini_batch": 4}}, "no multiple"),
        ({"compare": {"others": {"Trained": {"model": "m"}}}}, "always compared"),
        ({"compare": {"others": {"../x": {"model": "m"}}}}, "use letters, digits"),
        ({"rollout": {"group": 1}}, "rollout.group"),
        ({"color": "blue"}, "color: Extra inputs"),
    ],
)
def test_what_cannot_be_run_is_said(tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        recipe_from({**SMALL, **change}, tmp_path / "r.toml")
    assert message in raised.value.message
    assert raised.value.hint


def test_a_file_that_is_missing_or_no_toml(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no recipe"):
        read_recipe(tmp_path / "none.toml")
    (tmp_path / "r.toml").write_text("model = ")
    with pytest.raises(SettingsError, match="no TOML"):
        read_recipe(tmp_path / "r.toml")


def test_a_run_is_not_begun_over_another(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.begin(recipe(folder.path), resume=False).close()
    with pytest.raises(SettingsError, match="there is a run"):
        folder.begin(recipe(folder.path), resume=False)
    with pytest.raises(SettingsError, match="another recipe: seed"):
        folder.begin(recipe(folder.path, seed=1), resume=True)
    longer = recipe(folder.path, update={"steps": 99, "learning_rate": 3e-3})
    lock = folder.begin(longer, resume=True)  # more steps are no other run
    with pytest.raises(IndexBusy, match="another process trains"):
        folder.begin(longer, resume=True)
    lock.close()
