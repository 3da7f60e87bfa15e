"""The generated halves of docs/cli.md and docs/json.md, so that neither can fall behind.

``python -m leafward.cli.reference DOCS`` rewrites them; a test compares.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from leafward.cli import (
    evaluation_shapes,
    lazy,
    query_shapes,
    shapes,
    training_shapes,
    writing_shapes,
)
from leafward.cli.exits import MEANING

Page = Callable[[], Iterator[str]]

MARK = "<!-- generated from here on: python -m leafward.cli.reference docs -->"


def main(folder: Path) -> None:
    """Rewrite the generated part of both pages, below their mark."""
    for name, lines in (("cli.md", commands_page()), ("json.md", shapes_page())):
        path = folder / name
        written = path.read_text(encoding="utf-8").partition(MARK)[0]
        path.write_text(written + MARK + "\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


# --- docs/cli.md


def commands_page() -> Iterator[str]:
    """Every command with its arguments and options, then the exit codes."""
    for name in lazy.COMMANDS:
        made = lazy.load(name)
        inner = getattr(made, "commands", None)
        if inner is None:
            yield from _command(name, made)
        else:
            for each, command in inner.items():
                yield from _command(f"{name} {each}", command)
    yield from ("## Exit codes", "", "| code | meaning |", "| --- | --- |")
    yield from (f"| {int(code)} | {meaning} |" for code, meaning in MEANING.items())


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    shown = " ".join(_placeholder(each) for each in arguments)
    yield from (f"## leafward {name}", "", f"`leafward {name} {shown}`".replace(" `", "`"), "")
    yield from (*_paragraphs(command.help or ""), "", "| option | meaning |", "| --- | --- |")
    for each in arguments:
        yield f"| `{_placeholder(each)}` | {each.help} |"
    for each in command.params:
        if each.param_type_name == "option":
            yield f"| {_option(each)} | {_cell(each.help or '')} |"
    yield ""


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.split("\n\n")):
        yield from ([""] if number else [])
        yield " ".join(paragraph.split())


def _placeholder(argument: Any) -> str:
    name = (argument.metavar or argument.name).upper()
    return name if argument.required else f"[{name}]"


def _option(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    return names if option.is_flag or not option.metavar else f"{names} `{option.metavar}`"


# --- docs/json.md


def shapes_page() -> Iterator[str]:
    """Every shape with its fields, in the order of their definition."""
    for module in (shapes, query_shapes, writing_shapes, training_shapes, evaluation_shapes):
        for kind in vars(module).values():
            ours = isinstance(kind, type) and kind.__module__ == module.__name__
            if ours and issubclass(kind, shapes.Shape) and kind is not shapes.Shape:
                yield from _shape(kind)


def _shape(kind: type[BaseModel]) -> Iterator[str]:
    yield from (f"## {kind.__name__}", "", _one_line(kind.__doc__ or ""), "")
    yield from ("| field | type | meaning |", "| --- | --- | --- |")
    for name, field in kind.model_fields.items():
        yield f"| `{name}` | {_type(field.annotation)} | {_cell(field.description or '')} |"
    yield ""


def _type(annotation: Any) -> str:
    """A type as JSON knows it; shapes link to their own section."""
    return _cell(_told(TypeAdapter(annotation).json_schema(ref_template="{model}")))


def _told(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_told(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f'"{value}"' for value in schema["enum"])
    if "$ref" in schema:
        return _link(schema["$ref"])
    if schema.get("type") == "array":
        return f"list of {_told(schema['items'])}"
    if schema.get("title", "").endswith(("Out", "Body")):
        return _link(schema["title"])
    if schema.get("type") == "object":
        return f"object of {_told(schema['additionalProperties'])}"
    return str(schema["type"])


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _one_line(text).replace("|", "\\|")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
