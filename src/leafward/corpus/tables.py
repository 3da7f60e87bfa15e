"""Rows of a CSV file with the lines they start on, past quotes that never close."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from leafward.corpus.lines import check_decodable, read_lines
from leafward.corpus.problems import ProblemLog, Rejected, quoted
from leafward.corpus.rows import ID_FIELDS, TEXT_FIELDS
from leafward.errors import CorpusError
from leafward.types import JsonValue

_KNOWN = {*ID_FIELDS, *TEXT_FIELDS, "title", "source", "section", "position"}
_DELIMITERS = ",;\t|"
_FIELD_LIMIT = 2**31 - 1  # the largest that every platform's C long holds


def read_rows(path: Path, log: ProblemLog) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield the starting line and the named fields of each row of a CSV file with a header.

    Values stay strings, so that "007" keeps its zeros (``position`` alone becomes a number); an
    empty cell is no field. The delimiter is the first of ``, ; tab |`` under which the header has
    an id and a text column.

    Raises:
        CorpusError: the header has no such columns.
    """
    lines = read_lines(path, log)
    first = next(lines, None)
    if first is None:
        return
    delimiter, header = _header(path, first[1])
    for line, cells in _Records(lines, delimiter):
        try:
            row = _row(header, cells)
        except Rejected as rejected:
            log.reject(path, line, rejected)
        else:
            if row is not None:
                yield line, row


def _row(header: list[str], cells: list[str] | csv.Error) -> dict[str, JsonValue] | None:
    if isinstance(cells, csv.Error):
        raise Rejected("broken-line", f"not CSV: {cells}")
    if not cells:
        return None
    if len(cells) != len(header):
        message = f"{len(cells)} fields, but the header names {len(header)}"
        raise Rejected("broken-line", message)
    for cell in cells:
        check_decodable(cell)
    return {name: _value(name, cell) for name, cell in zip(header, cells, strict=True) if cell}


def _value(name: str, cell: str) -> JsonValue:
    is_number = name == "position" and cell.isascii() and cell.isdecimal() and len(cell) < 19
    return int(cell) if is_number else cell


def _header(path: Path, line: str) -> tuple[str, list[str]]:
    try:
        check_decodable(line)
    except Rejected as rejected:
        hint = "save the file as UTF-8"
        raise CorpusError(rejected.message, path=path, line=1, hint=hint) from rejected
    for delimiter in _DELIMITERS:
        names = [_name(cell) for cell in next(csv.reader([line], delimiter=delimiter), [])]
        if not set(names).isdisjoint(ID_FIELDS) and not set(names).isdisjoint(TEXT_FIELDS):
            return delimiter, names
    raise CorpusError(
        f"the header has no id or no text column: {quoted(line.strip(), 200)}",
        path=path,
        line=1,
        hint=f"name a column {' or '.join(ID_FIELDS)} and another {' or '.join(TEXT_FIELDS)}",
    )


def _name(cell: str) -> str:
    name = cell.strip()
    return name.casefold() if name.casefold() in _KNOWN else name


def _next(reader: Iterator[list[str]]) -> list[str] | csv.Error:
    before = csv.field_size_limit(_FIELD_LIMIT)  # a setting of the whole process
    try:
        return next(reader)
    except csv.Error as error:
        return error
    finally:
        csv.field_size_limit(before)


class _Records:
    """CSV records; after a broken one, reading starts again at the line below its first.

    A quote that never closes would otherwise swallow every row up to the next quote.
    """

    def __init__(self, lines: Iterator[tuple[int, str]], delimiter: str) -> None:
        self._lines = lines
        self._again: deque[tuple[int, str]] = deque()
        self._taken: list[tuple[int, str]] = []
        self._delimiter = delimiter

    def __iter__(self) -> Iterator[tuple[int, list[str] | csv.Error]]:
        reader = csv.reader(_Feed(self), delimiter=self._delimiter, strict=True)
        while True:
            self._taken.clear()
            try:
                cells = _next(reader)
            except StopIteration:
                return
            line = self._taken[0][0]
            if isinstance(cells, csv.Error):
                self._again.extendleft(reversed(self._taken[1:]))
            yield line, cells

    def take(self) -> str:
        """The next line, from those to be read again or from the file."""
        numbered = self._again.popleft() if self._again else next(self._lines)
        self._taken.append(numbered)
        return numbered[1]


class _Feed:
    """Lines for csv.reader; unlike a generator it can go on after it has ended once."""

    def __init__(self, records: _Records) -> None:
        self._records = records

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        return self._records.take()
