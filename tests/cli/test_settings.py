"""Flags, environment and file; what they cost; conditions on metadata."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from leafward import settings as library_settings
from leafward.cli import flags
from leafward.cli.configuration import load_settings, search_settings
from leafward.cli.consent import confirm, may_cost
from leafward.cli.flags import Building, Configured, Limits, Models, Spending
from leafward.cli.where import parse_where
from leafward.errors import Interrupted, SettingsError
from leafward.settings import BudgetSettings


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("LEAFWARD_MODEL", "LEAFWARD_EMBEDDER"):
        monkeypatch.delenv(name, raising=False)


def test_choices_are_those_of_the_library() -> None:
    """Written out in the flags, so that help need not import pydantic."""
    assert flags.Strategy == library_settings.Strategy
    from leafward.corpus import OnProblem
    from leafward.library import JudgeName

    assert flags.OnProblem == OnProblem
    assert flags.JudgeName == JudgeName


def test_flags_win_over_the_environment_and_that_over_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("leafward.toml").write_text(
        'model = "openai:file"\nembedder = "lexical"\n[build]\nbranching = 5\nseed = 3\n'
    )
    monkeypatch.setenv("LEAFWARD_BUILD__BRANCHING", "6")
    monkeypatch.setenv("LEAFWARD_MODEL", "openai:environment")
    found = load_settings(Configured(), models=Models(model="openai:flag"))
    assert found.model == "openai:flag"
    assert found.embedder == "lexical"
    assert (found.build.branching, found.build.seed) == (6, 3)
    assert load_settings(Configured(), building=Building(branching=7)).build.branching == 7


def test_a_named_file_replaces_the_usual_one(tmp_path: Path) -> None:
    Path("leafward.toml").write_text('model = "openai:usual"\n')
    other = tmp_path / "other.toml"
    other.write_text("[budget]\nmoney = 1.5\n")
    found = load_settings(Configured(config=other), spending=Spending(budget_calls=9))
    assert found.model is None
    assert found.budget == BudgetSettings(calls=9, money=1.5)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("modle = 'x'", "modle"),
        ("[build]\nbranching = 99", "branching"),
        ("this is no TOML", "no TOML"),
    ],
)
def test_a_wrong_file_is_one_error_with_a_hint(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=told) as caught:
        load_settings(Configured(config=path))
    assert caught.value.hint


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(SettingsError, match="there is no settings file"):
        load_settings(Configured(config=Path("nowhere.toml")))


def test_a_key_of_the_wrong_kind_is_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "secret.toml"
    path.write_text("[models]\napi_key = [12345]\n")
    with pytest.raises(SettingsError) as caught:
        load_settings(Configured(config=path))
    assert "12345" not in caught.value.message


def test_limits_of_a_search_go_where_they_are_kept() -> None:
    limits = Limits(max_calls=7, max_tokens=100, deadline=2.5, beam=3)
    settings = load_settings(Configured(), limits=limits)
    assert settings.budget.calls == 7
    found = search_settings(settings, limits)
    assert (found.max_tokens, found.deadline, found.beam) == (100, 2.5, 3)
    assert found.iterations == settings.search.iterations
    # What nobody set stays unset: the embedding judge puts defaults of its own there.
    assert found.model_fields_set == {"max_tokens", "deadline", "beam"}


def test_a_limit_out_of_range_is_an_error() -> None:
    with pytest.raises(SettingsError, match="max_tokens"):
        search_settings(load_settings(Configured()), Limits(max_tokens=0))


@pytest.mark.parametrize(
    ("given", "costs"),
    [
        ({}, False),
        ({"model": "local:smollm2-135m"}, False),
        ({"model": "openai:x"}, True),
        ({"model": "nosuch:x"}, True),
        ({"embedder": "openai:e"}, True),
        ({"model": "openai:x", "models": {"base_url": "http://127.0.0.1:1/v1"}}, False),
        ({"model": "openai:x", "models": {"base_url": "http://10.0.0.1:1/v1"}}, True),
        ({"model": "ollama:x"}, False),
        (
            {"model": "ollama:x", "models": {"base_url": "http://[::1]:1/v1", "price_prompt": 1.0}},
            True,
        ),
    ],
)
def test_what_may_cost_money(given: dict[str, Any], costs: bool) -> None:
    assert may_cost(library_settings.Settings(**given)) is costs


class _Terminal:
    def __init__(self, typed: str) -> None:
        self.typed = typed

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self.typed

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass


def test_a_person_who_says_yes_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", _Terminal(""))
    monkeypatch.setattr(sys, "stdin", _Terminal("y\n"))
    confirm(BudgetSettings(), yes=False)


@pytest.mark.parametrize("typed", ["n\n", "\n", ""])
def test_a_person_who_does_not_say_yes_stops(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr(sys, "stderr", _Terminal(""))
    monkeypatch.setattr(sys, "stdin", _Terminal(typed))
    with pytest.raises(Interrupted):
        confirm(BudgetSettings(money=1.0), yes=False)


def test_without_a_terminal_a_budget_or_yes_consents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    confirm(BudgetSettings(tokens=10), yes=False)
    confirm(BudgetSettings(), yes=True)
    with pytest.raises(SettingsError) as caught:
        confirm(BudgetSettings(), yes=False)
    assert "--yes" in caught.value.hint and "--budget" in caught.value.hint


def test_conditions_are_read_as_json_where_they_are_json() -> None:
    assert parse_where(
        ["year=2024", "year=2023.5", 'code="7"', "open=true", "kind=case report", "gone=null"]
    ) == {"year": [2024, 2023.5], "code": "7", "open": True, "kind": "case report", "gone": None}


def test_a_list_is_no_value_but_text() -> None:
    assert parse_where(["a=[1]", "b=x=y"]) == {"a": "[1]", "b": "x=y"}


@pytest.mark.parametrize("wrong", ["year", "=2024", " =x"])
def test_a_condition_without_field_or_sign_is_an_error(wrong: str) -> None:
    with pytest.raises(SettingsError, match="no condition"):
        parse_where([wrong])
