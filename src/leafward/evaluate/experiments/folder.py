"""Where an experiment keeps what: one folder, whose file names come from checked labels alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


def file_name(label: str) -> str:
    """A method's label as part of a file name that no shell trips over."""
    return label.replace(" ", "_")


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of an experiment's results."""

    path: Path

    def journal(self, label: str, seed: int) -> Path:
        return self.path / "journals" / f"{file_name(label)}.seed{seed}.jsonl"

    def run(self, label: str, seed: int) -> Path:
        return self.path / "runs" / f"{file_name(label)}.seed{seed}.trec"

    def figure(self, name: str, kind: str) -> Path:
        return self.path / "figures" / f"{name}.{kind}"

    @property
    def manifest(self) -> Path:
        """What was run, as JSON: what `compare` needs to know."""
        return self.path / "experiment.json"

    @property
    def table(self) -> Path:
        return self.path / "per_query.csv"

    @property
    def parquet(self) -> Path:
        return self.path / "per_query.parquet"

    @property
    def report(self) -> Path:
        return self.path / "report.md"
