"""Files in TOML: what is wrong with one is said with its place and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from leafward.errors import SettingsError
from leafward.toml_files import explained, read_toml


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    size: int

    @model_validator(mode="after")
    def _even(self) -> Inner:
        if self.size % 2:
            raise ValueError("size is odd")
        return self


class Outer(BaseModel):
    inner: dict[str, Inner]


def reading(path: Path) -> dict[str, object]:
    return read_toml(path, what="recipe", example="recipes/one.toml")


def test_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('[inner.a]\nsize = 2\nname = "ü"\n', encoding="utf-8")
    assert reading(path) == {"inner": {"a": {"size": 2, "name": "ü"}}}


def test_a_missing_file_comes_with_an_example(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no recipe") as raised:
        reading(tmp_path / "none.toml")
    assert raised.value.hint == "recipes/one.toml is one"


@pytest.mark.parametrize("content", [b"size = ", b"\xff\xfe", b"a = 1\na = 2"])
def test_what_is_no_toml_is_said(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"a\.toml is no TOML"):
        reading(path)


def test_a_folder_is_no_toml(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is no TOML"):
        reading(tmp_path)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"inner": {"a": {"size": 3}}}, "f.toml: inner.a: size is odd"),
        ({"inner": {"a": {"size": 2, "x": 1}}}, "f.toml: inner.a.x: Extra inputs are not"),
        ({}, "f.toml: inner: Field required"),
    ],
)
def test_a_fault_has_its_place(given: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError) as raised:
        Outer.model_validate(given)
    error = explained(raised.value, Path("f.toml"), page="docs/page.md")
    assert error.message.startswith(told)
    assert error.hint == "docs/page.md describes the file"
