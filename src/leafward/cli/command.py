"""Registering commands: shared options unfolded, errors turned into exit codes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import typer

from leafward.cli.failures import guarded
from leafward.cli.flags import Common

Function = Callable[..., None]


def command(app: typer.Typer, name: str, *, example: str) -> Callable[[Function], Function]:
    """Register a function as a command of ``app``; ``example`` is shown below its help.

    Parameters annotated with a dataclass of :mod:`leafward.cli.flags` become its options.
    """

    def register(function: Function) -> Function:
        app.command(name, epilog=f"Example:\n\n\b\n{_indented(example)}")(unfolded(function))
        return function

    return register


def _indented(example: str) -> str:
    return "\n".join(f"  {line}" for line in example.splitlines())


def unfolded(function: Function) -> Function:
    """The same command with the fields of its dataclass parameters as parameters of its own."""
    hints = get_type_hints(function, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if _is_flags(kind)}

    def call(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        common = next((value for value in values.values() if isinstance(value, Common)), Common())
        guarded(lambda: function(**values), common)

    parameters = [
        unfolded
        for parameter in inspect.signature(function).parameters.values()
        for unfolded in _unfold(parameter, hints, groups)
    ]
    call.__name__ = function.__name__
    call.__doc__ = function.__doc__
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _is_flags(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind)


def _unfold(
    parameter: inspect.Parameter, hints: dict[str, Any], groups: dict[str, Any]
) -> list[inspect.Parameter]:
    kind = groups.get(parameter.name)
    if kind is None:
        return [
            parameter.replace(annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY)
        ]
    types = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=types[field.name],
        )
        for field in fields(kind)
    ]
