"""Index of 100,000 synthetic passages without a model: time, memory, and how fast it opens.

    python -m benchmarks.large [--passages 100000]

Passages are drawn from a seeded topic model (200 topics over 20,000 words, 40 words each) and
embedded by the lexical embedder, which needs no download; so this measures Leafward, not an
embedding model. Opening is measured in fresh processes: store, tree and all, then a first search.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import leafward
from benchmarks.data import CACHE
from benchmarks.machine import save
from leafward.settings import BuildSettings, Settings
from leafward.types import Document

TOPICS, WORDS, LENGTH = 200, 20_000, 40
OPENINGS = 5

OPEN = """
import json, sys, time
start = time.perf_counter()
import leafward.library
imported = time.perf_counter()
index = leafward.open(sys.argv[1])
opened = time.perf_counter()
found = index.search("w17 w3000 w12", k=10)
searched = time.perf_counter()
print(json.dumps([imported - start, opened - imported, searched - opened, len(found)]))
index.close()
"""


def passages(count: int) -> list[Document]:
    """Passages of a seeded topic model; Zipf-like word frequencies within a topic."""
    rng = np.random.default_rng(0)
    ranks = rng.zipf(1.3, size=(count, LENGTH)) % 400
    topics = rng.integers(0, TOPICS, count)
    words = (topics[:, None] * 97 + ranks) % WORDS
    return [
        Document(
            f"p{row}",
            " ".join(f"w{word}" for word in words[row]),
            title=f"Passage {row} of topic {topics[row]}",
            metadata={"topic": int(topics[row])},
        )
        for row in range(count)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    count = parser.parse_args().passages
    path = CACHE / "large.leafward"
    CACHE.mkdir(exist_ok=True)
    shutil.rmtree(path, ignore_errors=True)
    documents = passages(count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    settings = Settings(embedder="lexical", build=BuildSettings(strategy="model-free"))
    start, cpu = time.perf_counter(), time.process_time()
    with leafward.build(documents, path, settings=settings) as index:
        built = time.perf_counter() - start
        used = time.process_time() - cpu
        report = index.report
        assert report is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    openings = [opening(path) for _ in range(OPENINGS)]
    result = {
        "passages": count,
        "nodes": report.nodes,
        "depth": report.depth,
        "probe_reached": report.probe.reached if report.probe else None,
        "build_seconds": built,
        "build_cpu_seconds": used,
        "peak_memory_mb": peak / 1024,
        "documents_memory_mb": before / 1024,
        "index_mb": sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) / 2**20,
        "import_seconds": statistics.median(row[0] for row in openings),
        "open_seconds": statistics.median(row[1] for row in openings),
        "open_seconds_worst": max(row[1] for row in openings),
        "first_search_seconds": statistics.median(row[2] for row in openings),
    }
    print(save("large", result).read_text())


def opening(path: Path) -> list[float]:
    """Seconds to import, open and search once, in a fresh process."""
    command = [sys.executable, "-c", OPEN, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: list[float] = json.loads(done.stdout)
    return figures


if __name__ == "__main__":
    main()
