"""What searching is worth without a key and without a language model.

    python -m benchmarks.zero_key [--data NAME ...]

All queries, default settings: BM25, dense, and tree search with the embedding judge over the
model-free tree. Indexes are kept in benchmarks/.cache. What the packaged language model adds is an
experiment of its own: benchmarks/bright_local.
"""

from __future__ import annotations

import argparse

import leafward
from benchmarks.data import CACHE, DATA
from benchmarks.machine import save
from leafward.types import JsonValue

DATA_SETS = ("bright_biology_page_titles", "bright_theoremqa_questions_mini")
METHODS = ("bm25", "dense", "tree")
MEASURES = ("nDCG@10", "R@100")


def measured(name: str) -> dict[str, JsonValue]:
    """Every method's summary, by method."""
    path = CACHE / f"{name}-16.leafward"
    with leafward.build(DATA / name, path) as index:
        return {
            method: leafward.evaluate_method(
                index, DATA / name, method, k=100, measures=MEASURES, concurrency=1
            ).summary.as_json()
            for method in METHODS
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="+", default=list(DATA_SETS))
    CACHE.mkdir(exist_ok=True)
    print(save("zero_key", {name: measured(name) for name in parser.parse_args().data}).read_text())


if __name__ == "__main__":
    main()
