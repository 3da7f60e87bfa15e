"""How a run goes, a line of JSON for each step, which a killed run takes up where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from leafward.evaluate.files import write_lines
from leafward.writing import Tally

Row = dict[str, Any]


def row_of(step: int, tally: Tally, facts: Mapping[str, float | None]) -> Row:
    """What is kept of a step: its number, what its episodes came to, and how the policy moved."""
    told = asdict(tally)
    told["levels"] = {f"{level:g}": share for level, share in tally.levels.items()}
    return {"step": step, **told, **facts}


class Curve:
    """Rows in a JSONL file, in order of their steps."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, row: Row) -> None:
        """Add a row; it is in the file when this returns."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, allow_nan=False) + "\n")

    def cut(self, step: int) -> None:
        """Take out what came after a step, and a line that a killed process left half."""
        kept = [row for row in self if row["step"] <= step]
        write_lines(self.path, (json.dumps(row) for row in kept))

    def __iter__(self) -> Iterator[Row]:
        if not self.path.is_file():
            return
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except ValueError:  # only the last one can be half: it is written again
                return

    def last(self) -> Row | None:
        """The latest row."""
        return next(iter(list(self)[-1:]), None)
