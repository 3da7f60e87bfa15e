"""The function that verl loads gives the table's values, and stands in where we failed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.library.training.small import make_data, small_recipe
from tests.writing.fakes import FakeEngine, answer, need

from leafward.errors import EngineUnavailable
from leafward.library.training.verl_reward import LOST_IN_A_ROW, Judge, compute_score
from leafward.training.recipe import Recipe
from leafward.training.verl.data import need_of, told
from leafward.writing import Environment


def judge(recipe: Recipe, *, fails: float) -> Judge:
    engine = FakeEngine(fails=fails)
    return Judge(recipe, Environment([need()], engine, "literature"))


async def test_the_tables_values(tmp_path: Path) -> None:
    recipe = small_recipe(make_data(tmp_path), trainer="verl", prompt={})
    path = tmp_path / "recipe.json"
    path.write_text(recipe.model_dump_json())
    text = told(need("n1", 1))
    asked = need_of(text)
    assert asked == need("n1", 1)

    async def score(completion: str) -> dict[str, float]:
        truth = told(type(asked)("n1", "aspirin", relevant={"t1": 1}))
        return await compute_score("leafward", completion, truth, {}, recipe=str(path))

    right = await score(answer("aspirin AND pain"))
    assert (right["score"], right["found"], right["hits"]) == (6.0, 1.0, 1.0)
    assert (await score(answer("zinc")))["score"] == -2.5
    assert (await score("aspirin"))["score"] == -4.0
    refused = await score(answer("(aspirin"))
    assert (refused["score"], refused["executed"], refused["valid"]) == (-3.0, 0.0, 1.0)
    assert refused.keys() == right.keys()


async def test_a_lost_score_is_the_mean_of_the_recent_ones_and_counted(tmp_path: Path) -> None:
    recipe = small_recipe(make_data(tmp_path), trainer="verl", prompt={})
    working = judge(recipe, fails=0.0)
    first = await working.score(answer("20 of 20"), need())
    second = await working.score(answer("0 of 9"), need())
    assert (first["score"], second["score"]) == (6.0, -2.5)
    broken = judge(recipe, fails=1.0)
    broken.recent = working.recent
    lost = await broken.score(answer("20 of 20"), need())
    assert (lost["score"], lost["unscored"]) == (1.75, 1.0)
    assert list(broken.recent) == [6.0, -2.5]
    for _ in range(LOST_IN_A_ROW - 1):
        await broken.score(answer("3 of 20"), need())
    with pytest.raises(EngineUnavailable, match="65 episodes in a row"):
        await broken.score(answer("3 of 20"), need())


async def test_without_a_recent_reward_the_run_stops(tmp_path: Path) -> None:
    recipe = small_recipe(make_data(tmp_path), trainer="verl", prompt={})
    with pytest.raises(EngineUnavailable) as raised:
        await judge(recipe, fails=1.0).score(answer("20 of 20"), need())
    assert "resumes from its checkpoint" in raised.value.hint
