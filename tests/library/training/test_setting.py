"""What a recipe trains in: engines made once, needs in three disjoint parts; plans; verl."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.library.training.small import make_data, small_recipe

from leafward.errors import SettingsError, StoreError
from leafward.library.training import plan_recipe, train_recipe
from leafward.library.training.corpora import engine_of, union
from leafward.library.training.setting import Setting, needs_of
from leafward.settings import Settings
from leafward.training.curves import Curve
from leafward.training.folder import RunFolder
from leafward.training.verl.data import need_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return make_data(tmp_path)


def test_of_two_documents_with_one_id_the_first_counts(data: Path) -> None:
    found = list(union([data / "trials", data / "others"]))
    assert len(found) == 41
    assert next(each for each in found if each.id == "t0").title == "aspirin and stroke"


async def test_an_engine_is_made_once_and_anew_where_it_is_half(data: Path) -> None:
    folder, corpora = data / "engine", [data / "trials"]
    engine = engine_of("boolean", corpora, folder)
    assert (await engine.search("aspirin AND stroke", k=5)).total == 1
    made = (folder / "documents.json").stat().st_mtime_ns
    engine_of("boolean", corpora, folder)
    assert (folder / "documents.json").stat().st_mtime_ns == made
    (data / "engine.corpora.json").unlink()  # as where a process died before it was whole
    (folder / "documents.json").write_text("half")
    again = engine_of("boolean", corpora, folder)
    assert (await again.search("aspirin", k=5)).total == 5
    with pytest.raises(StoreError, match="other corpora"):
        engine_of("boolean", [data / "others"], folder)
    ranked = await engine_of("bm25", corpora, data / "bm25").search("heparin and pain", k=1)
    assert ranked.hits[0].doc_id == "t6"


def test_needs_are_disjoint_and_those_held_out_are_the_seeds(data: Path) -> None:
    needs = needs_of(small_recipe(data))
    ids = [[need.id for need in part] for part in (needs.train, needs.watched, needs.compared)]
    assert [len(part) for part in ids] == [26, 4, 10]
    assert len({each for part in ids for each in part}) == 40
    assert needs_of(small_recipe(data)).watched == needs.watched
    assert needs_of(small_recipe(data, seed=1)).watched != needs.watched
    same = needs_of(small_recipe(data, compare={"split": "train"}))
    assert same.compared == ()  # nothing that is trained on is compared on
    with pytest.raises(SettingsError, match="too few"):
        needs_of(small_recipe(data, needs={"source": "trials", "watch": 30}))


def test_a_plan_counts_what_a_step_takes(data: Path) -> None:
    recipe = small_recipe(data)
    plan = plan_recipe(recipe)
    assert (plan.train_needs, plan.watched_needs, plan.compared_needs) == (26, 4, 10)
    assert (plan.completions, plan.steps, plan.total_completions) == (8, 2, 16)
    assert (
        plan.step_tokens
        == plan.shared_tokens + 2 * (plan.prompt_tokens - plan.shared_tokens) + 8 * 2
    )
    assert (plan.seconds, plan.command, plan.steps_done) == (None, (), 0)
    curve = Curve(RunFolder(recipe.out).steps)
    curve.append({"step": 1, "sampling_seconds": 3.0, "update_seconds": 4.0})
    assert (plan_recipe(recipe).steps_done, plan_recipe(recipe).seconds) == (1, 7.0)


def test_rewards_are_those_of_the_recipe(data: Path) -> None:
    with Setting(small_recipe(data), Settings()) as setting:
        need = next(each for each in setting.needs.train if each.id == "n1")
        texts = ['aspirin AND pain"}', 'aspirin AND"}', "aspirin", 'zinc"}']
        found = setting.score(texts, [need] * 4)
        assert [each.reward for each in found] == [6.0, -3.0, -4.0, -2.5]


def test_verl_is_not_trained_here(data: Path) -> None:
    recipe = small_recipe(data, trainer="verl", prompt={})
    with pytest.raises(SettingsError, match="of its own") as raised:
        train_recipe(recipe)
    assert "--dry-run" in raised.value.hint
    with pytest.raises(SettingsError, match="verl cannot load"):
        plan_recipe(small_recipe(data, trainer="verl", prompt={}, model="local:smollm2-135m"))


def test_verls_files(data: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    recipe = small_recipe(
        data, trainer="verl", prompt={}, verl={"batch": 4, "mini_batch": 2, "overrides": ["a=b"]}
    )
    plan = plan_recipe(recipe)
    folder = RunFolder(recipe.out).verl
    assert plan.command == (
        "python",
        "-m",
        "verl.trainer.main_ppo",
        f"--config-path={folder}",
        "--config-name=leafward",
        "a=b",
    )
    assert (plan.steps, plan.completions) == (5 * 6, 4)
    rows = parquet.read_table(folder / "train.parquet").to_pylist()
    assert [turn["role"] for turn in rows[0]["prompt"]] == ["system", "user"]
    need = need_of(rows[0]["reward_model"]["ground_truth"])
    assert need == next(each for each in needs_of(recipe).train if each.id == need.id)
    assert rows[0]["extra_info"]["need"] == need.id
    assert len(parquet.read_table(folder / "watch.parquet")) == 4
    assert json.loads((folder / "recipe.json").read_text())["reward"] == "literature@10"


def test_prompts_that_verl_would_leave_out_are_told_first(data: Path) -> None:
    recipe = small_recipe(
        data, trainer="verl", prompt={}, verl={"batch": 4, "mini_batch": 2, "prompt_tokens": 16}
    )
    with pytest.raises(SettingsError, match="verl leaves out those of over 16") as raised:
        plan_recipe(recipe)
    assert "set verl.prompt_tokens to" in raised.value.hint
