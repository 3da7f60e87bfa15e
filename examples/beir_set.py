"""Measure three methods on a BEIR set, with intervals, on some of its queries.

python examples/beir_set.py FOLDER [EMBEDDER] [QUERIES] [SPLIT]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import leafward

METHODS = ("tree", "bm25", "dense")


def main(folder: Path, embedder: str, limit: int, split: str) -> None:
    with (
        tempfile.TemporaryDirectory() as scratch,
        leafward.build(folder, Path(scratch) / "set.leafward", embedder=embedder) as index,
    ):
        for method in METHODS:
            found = leafward.evaluate_method(index, folder, method, split=split, limit=limit)
            quality = found.summary.measures["nDCG@10"]
            low, high = quality.interval.low, quality.interval.high
            print(
                f"{method:5}  nDCG@10 {quality.mean:.3f} [{low:.3f}, {high:.3f}]"
                f"  ({found.summary.queries} queries)"
            )


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    embedder, limit, split = (*sys.argv[2:], *("minilm", "20", "test")[len(sys.argv) - 2 :])
    main(Path(sys.argv[1]), embedder, int(limit), split)
