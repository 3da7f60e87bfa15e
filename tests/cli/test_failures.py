"""Errors: one line, one hint, one code; JSON where JSON was asked for; help everywhere."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.cli.running import Leafward

from leafward import errors
from leafward.cli import lazy, shapes
from leafward.cli.exits import MEANING, Exit, exit_code
from leafward.cli.failures import guarded
from leafward.cli.flags import Common
from leafward.errors import LeafwardError


def _kinds() -> Iterator[type[LeafwardError]]:
    for _, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, LeafwardError) and kind is not LeafwardError:
            yield kind


@pytest.mark.parametrize("kind", list(_kinds()), ids=lambda kind: kind.__name__)
def test_every_error_has_a_code_of_its_own(kind: type[LeafwardError]) -> None:
    made = kind.__new__(kind)
    assert exit_code(made) not in (Exit.OK, Exit.FAILED)


def test_every_code_has_a_meaning() -> None:
    assert set(MEANING) == set(Exit)


def test_an_error_is_one_line_and_a_hint(leafward: Leafward) -> None:
    ran = leafward("search", "nowhere", "x")
    assert ran.code == 6
    assert ran.out == ""
    first, second = ran.err.splitlines()
    assert first.startswith("leafward: ") and "nowhere" in first
    assert second.startswith("  hint: ")


def test_an_error_under_json_is_one_object_on_stderr(leafward: Leafward) -> None:
    ran = leafward("verify", "nowhere", "--json")
    assert ran.out == ""
    error = shapes.ErrorOut.model_validate_json(ran.err).error
    assert (error.kind, error.exit_code, ran.code) == ("IndexNotFound", 6, 6)


def test_debug_adds_the_traceback(leafward: Leafward) -> None:
    assert "Traceback" in leafward("verify", "nowhere", "--debug").err
    assert "Traceback" not in leafward("verify", "nowhere").err


def test_input_that_is_not_there(leafward: Leafward) -> None:
    assert leafward("index", "nowhere", "i").code == 3


def test_a_wrong_setting_is_a_usage_error(leafward: Leafward, corpus: Path) -> None:
    ran = leafward("index", corpus, "i", "--branching", 99)
    assert ran.code == 2
    assert "build.branching" in ran.err


@pytest.mark.parametrize("arguments", [["nosuch"], ["search"], ["tree", "i", "--format", "pdf"]])
def test_wrong_arguments_are_usage_errors(leafward: Leafward, arguments: list[str]) -> None:
    assert leafward(*arguments).code == 2


def _ends(action: Any, common: Common = Common()) -> int:  # noqa: B008 - frozen
    with pytest.raises(typer.Exit) as caught:
        guarded(action, common)
    return caught.value.exit_code


def _raise(error: BaseException) -> Any:
    def action() -> None:
        raise error

    return action


def test_a_bug_is_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ends(_raise(ZeroDivisionError("oops"))) == 1
    assert capsys.readouterr().err.splitlines() == [
        "leafward: ZeroDivisionError: oops",
        "  hint: this is a bug in Leafward; --debug shows where",
    ]


def test_ctrl_c_says_that_nothing_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ends(_raise(KeyboardInterrupt())) == 130
    assert "kept" in capsys.readouterr().err


def test_a_full_disk_is_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ends(_raise(OSError(28, "No space left on device"))) == 1
    assert "free space" in capsys.readouterr().err


def test_a_message_cannot_bring_escape_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    _ends(_raise(errors.ModelRejected("\x1b[2Jgone\nsecond line", hint="a\x1bb")))
    told = capsys.readouterr().err
    assert "\x1b" not in told and len(told.splitlines()) == 2


def _commands() -> list[list[str]]:
    names: list[list[str]] = []
    for name in lazy.COMMANDS:
        made = lazy.load(name)
        inner = getattr(made, "commands", None)
        names += [[name, each] for each in inner] if inner else [[name]]
    return names


@pytest.mark.parametrize("command", _commands(), ids=" ".join)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_has_an_example(leafward: Leafward, command: list[str], flag: str) -> None:
    ran = leafward(*command, flag)
    assert ran.code == 0
    assert f"leafward {' '.join(command)}" in ran.out.partition("Example:")[2]
    assert "--json" in ran.out and "--debug" in ran.out


def test_first_help_names_every_command(leafward: Leafward) -> None:
    ran = leafward("-h")
    assert all(name in ran.out for name in lazy.COMMANDS)
    assert "leafward demo" in ran.out


def test_version(leafward: Leafward) -> None:
    assert leafward("--version").out.startswith("leafward ")
