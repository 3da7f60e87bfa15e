"""Lines of an evaluation's journal: what they say, how they are written and read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from leafward.errors import StoreError
from leafward.types import Outcome, Query

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a journal: what its outcomes are outcomes of.

    ``key`` stands for everything else that decides a ranking: index, models, settings, seed.
    """

    method: str
    collection: str
    split: str
    k: int
    traces: bool = False
    key: str = ""
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Entry:
    """Another line: an outcome, and a digest of the query as it was asked."""

    query: str
    outcome: Outcome


def query_digest(query: Query) -> str:
    """SHA-256 of a query's text, definition of relevance and exclusions, in hexadecimal."""
    asked = [query.text, query.relevance, sorted(query.excluded_ids)]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def header_line(header: Header) -> bytes:
    """The first line, with its end."""
    return _headers().dump_json(header) + b"\n"


def parse_header(path: Path, line: bytes) -> Header:
    """Read the first line back; StoreError where it is none."""
    try:
        return _headers().validate_json(line)
    except ValidationError as error:
        raise damaged(path, 1) from error


def parse_entries(path: Path, lines: Iterable[bytes]) -> dict[str, Entry]:
    """Read the other lines back, the last about each query; StoreError where one is none."""
    entries: dict[str, Entry] = {}
    for number, line in enumerate(lines, start=2):
        try:
            entry = _lines().validate_json(line)
        except ValidationError as error:
            raise damaged(path, number) from error
        entries[entry.outcome.query_id] = entry
    return entries


def damaged(path: Path, line: int) -> StoreError:
    """The error of a line that cannot be read."""
    return StoreError(
        f"{path}: line {line} is not one of an evaluation's journal",
        hint="remove this line to have its query evaluated again; without line 1 begin anew",
    )


def entry_line(entry: Entry) -> bytes:
    """An outcome's line, with its end."""
    try:
        return _lines().dump_json(entry) + b"\n"
    except PydanticSerializationError:  # half a character in a model's words, which no UTF-8 has
        plain = json.dumps(_lines().dump_python(entry, mode="json"), ensure_ascii=False)
        return plain.encode("utf-8", "replace") + b"\n"


@cache
def _headers() -> TypeAdapter[Header]:
    return TypeAdapter(Header)


@cache
def _lines() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)
