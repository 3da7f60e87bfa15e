"""Store what the packaged 1.5B model was worth on two BRIGHT sets, for docs/figures.md.

    for name in biology theoremqa; do
        leafward experiment run benchmarks/bright_local/$name.toml --yes --json > $name.json
    done
    python -m benchmarks.local_model biology.json theoremqa.json

The experiments go on where they were stopped; what they have by then is what is stored.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.machine import save

KEPT = ("collection", "split", "queries", "complete", "baseline", "methods")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("found", type=Path, nargs="+", help="what the experiments printed")
    stored: dict[str, object] = {}
    for path in parser.parse_args().found:
        found = json.loads(path.read_text())
        stored[found["name"]] = {key: found[key] for key in KEPT}
    print(save("local_model", stored))


if __name__ == "__main__":
    main()
