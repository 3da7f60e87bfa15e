"""What arguments of methods may be."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import ValidationError

from leafward.errors import SettingsError
from leafward.settings import JudgeName, SearchSettings

Rewriting = Literal["rewrite", "hyde", "query2doc"]
Scalar = bool | int | float | str | None


def checked_setting(name: str, value: object) -> Scalar:
    """A setting of tree search as :class:`SearchSettings` holds it.

    Raises:
        SettingsError: there is no such setting, or the value is out of range.
    """
    known = tuple(SearchSettings.model_fields)
    if name not in known:
        raise SettingsError(
            f"tree search has no setting {name}", hint=f"it has judge, {', '.join(known)}"
        )
    try:
        settings = SearchSettings.model_validate({name: value})
    except ValidationError as error:
        raise SettingsError(
            f"{name}: {error.errors()[0]['msg']}, not {value!r}",
            hint=SearchSettings.model_fields[name].description or "docs/cli.md lists the settings",
        ) from error
    checked: Scalar = getattr(settings, name)
    return checked


def check_weights(weights: tuple[float, ...], count: int) -> None:
    """Raise SettingsError unless these are so many weights."""
    if len(weights) != count or min(weights) < 0 or not 0 < sum(weights) < float("inf"):
        raise SettingsError(
            f"weights are {'/'.join(map(str, weights))}",
            hint=f"give {count} numbers from 0, not all of them 0, such as "
            + "/".join(["0.6", "0.2", "0.2"] if count == 3 else ["0.5"] * count),
        )


def check_judge(judge: str) -> None:
    """Raise SettingsError unless there is such a judge."""
    if judge not in get_args(JudgeName):
        raise SettingsError(
            f"there is no judge {judge}", hint=f"use {', '.join(get_args(JudgeName))}"
        )


def check_rewriting(name: str) -> None:
    """Raise SettingsError unless there is such a rewriter."""
    if name not in get_args(Rewriting):
        raise SettingsError(
            f"there is no rewriter {name}", hint=f"use {', '.join(get_args(Rewriting))}"
        )


def check_least(name: str, value: int, least: int) -> None:
    """Raise SettingsError where a number is too small."""
    if value < least:
        raise SettingsError(f"{name} is {value}", hint=f"give a number from {least}")
