"""The biomedical union: 19,406 records of three data sets, which stand for PubMed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from leafward.types import Document, MetaValue

SETS = ("cohen2006_drug_reviews", "evidence_inference_pico", "pubmedqa_l")
_FIELDS = ("mesh", "authors", "year", "journal", "keywords", "pmid")
"""What a record says of itself; ``topics`` would tell in which review it was screened."""


def read_union(data: Path) -> Iterator[Document]:
    """Every record once, the first of two with one id; 23 of them have neither title nor text."""
    seen: set[str] = set()
    for name in SETS:
        with gzip.open(data / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if row["_id"] not in seen:
                    seen.add(row["_id"])
                    yield Document(row["_id"], row["text"], row["title"], _metadata(row))


def _metadata(row: dict[str, str | list[str]]) -> dict[str, MetaValue]:
    return {
        name: tuple(row[name]) if isinstance(row[name], list) else str(row[name])
        for name in _FIELDS
        if name in row
    }
