"""A whole run of a tiny model: trained, compared, reported, served."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.library.training.small import make_data, small_recipe
from tests.training.tiny import make_checkpoint, needs_torch

from leafward import QueryWriter
from leafward.errors import SettingsError
from leafward.library.training import train_recipe
from leafward.settings import Settings
from leafward.testing import ScriptedServer, rules

pytestmark = needs_torch
SAYS = ('aspirin"}', 'pain"}', 'zinc"}', " AND ")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_data(tmp_path_factory.mktemp("data"))
    make_checkpoint(folder / "tiny", texts=SAYS)
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(cache_dir=tmp_path / "cache")


def test_from_recipe_to_report(data: Path, settings: Settings) -> None:
    answers = rules.canned({"": '<answer>{"query": "insulin"}</answer>'})
    with ScriptedServer(rules=[answers]) as server:
        models = settings.models.model_copy(update={"base_url": server.base_url})
        given = settings.model_copy(update={"models": models})
        others = {"another": {"model": "vllm:m", "method": "zero-shot"}}
        recipe = small_recipe(data, compare={"split": "dev", "others": others}, out="first")
        done = train_recipe(recipe, settings=given)
    labels = [method.label for method in done.methods]
    assert labels == [
        *("need", "all-words", "three-words", "zero-shot", "few-shot", "trained", "another")
    ]
    assert all(len(method.scored()) == 10 for method in done.methods)
    another = done.methods[-1]
    found = {need_id for need_id, value in another.found().items() if value}
    assert found == {"n20", "n24"}  # the needs about insulin
    (recipe.out / "compare" / "another.jsonl").unlink()
    stored = train_recipe(recipe, settings=given, resume=True).methods[-1]  # nobody serves it now
    assert [each.tokens for each in stored.answers.values()] == [
        each.tokens for each in another.answers.values()
    ]
    assert all(each.tokens for each in stored.answers.values())
    text = done.report.read_text()
    assert "## The trained policy against each" in text
    assert "| trained | 10 |" in text
    assert str(data) not in text  # a report is shared: no folders of this machine
    assert (done.best / "model.safetensors").is_file()
    with QueryWriter(f"boolean:{recipe.out / 'engine'}", str(done.best), settings=given) as writer:
        assert writer.write({"I": "aspirin"}).usage.calls == 1


def test_a_finished_run_is_not_trained_again(data: Path, settings: Settings) -> None:
    recipe = small_recipe(data, out="second", compare={"split": "dev", "limit": 4})
    first = train_recipe(recipe, settings=settings)
    with pytest.raises(SettingsError, match="there is a run"):
        train_recipe(recipe, settings=settings)
    weights = (first.best / "model.safetensors").stat().st_mtime_ns
    kept = recipe.out / "compare" / "trained.jsonl"
    lines = kept.read_text().splitlines()
    kept.write_text("\n".join(lines[:3]) + '\n{"need_id": "n')  # as a kill leaves it
    again = train_recipe(recipe, settings=settings, resume=True)
    assert (again.best / "model.safetensors").stat().st_mtime_ns == weights
    assert kept.read_text().splitlines()[:3] == lines[:3]
    assert sorted(map(str, again.methods[-1].answers)) == sorted(first.methods[-1].answers)
    assert len(list(kept.read_text().splitlines())) == 5


def test_a_cold_start_learns_what_the_reward_liked(data: Path, settings: Settings) -> None:
    cold = {
        "needs": 12,
        "samples": 8,
        "epochs": 6,
        "learning_rate": 1e-2,
        "above": 0.0,
        "shots": 1,
    }
    recipe = small_recipe(data, out="cold", cold_start=cold, compare={"split": "dev", "limit": 4})
    train_recipe(recipe, settings=settings)
    assert (recipe.out / "start" / "model.safetensors").is_file()
    first = json.loads((recipe.out / "watch.jsonl").read_text().splitlines()[0])
    plain = small_recipe(data, out="plain", compare={"split": "dev", "limit": 4})
    train_recipe(plain, settings=settings)
    before = json.loads((plain.out / "watch.jsonl").read_text().splitlines()[0])
    assert first["reward"] >= before["reward"]
    assert first["valid"] == 1.0


def test_trl_trains_from_the_same_recipe(data: Path, settings: Settings) -> None:
    pytest.importorskip("trl", reason="trl is not installed (extra train)")
    import warnings

    recipe = small_recipe(
        data, out="trl", trainer="trl", lora={"rank": 2}, compare={"split": "dev", "limit": 4}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of transformers and peft, about each other
        done = train_recipe(recipe, settings=settings)
    assert done.steps == 2
    assert done.methods[-1].label == "trained"
