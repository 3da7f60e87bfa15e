"""Store what the packaged 1.5B model was worth on two BRIGHT sets, for docs/figures.md.

    leafward experiment run benchmarks/bright_local/biology.toml --yes
    leafward experiment run benchmarks/bright_local/theoremqa.toml --yes
    python -m benchmarks.local_model

The experiments go on where they were stopped; what they have by then is what is stored.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.data import CACHE
from benchmarks.machine import save

NAMES = ("biology", "theoremqa")
KEPT = ("collection", "split", "queries", "complete", "baseline", "methods")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=CACHE / "bright_local")
    folder = parser.parse_args().results
    stored: dict[str, object] = {}
    for name in NAMES:
        found = json.loads((folder / f"{name}.results" / "experiment.json").read_text())
        stored[name] = {key: found[key] for key in KEPT}
    print(save("local_model", stored))


if __name__ == "__main__":
    main()
