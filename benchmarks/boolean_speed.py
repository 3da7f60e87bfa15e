"""Boolean expressions a second on the biomedical union of 19,406 records.

    python -m benchmarks.boolean_speed [--needs 500]

Expressions are made of real PICO needs in the forms that a policy writes, each of them once; the
figures are of one process, parsing included, by wall clock and by the processor time that it used
(the two differ on a machine that others use too). Writes ``results/boolean_speed.json``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.biomedical import read_union
from benchmarks.data import DATA
from benchmarks.machine import save
from leafward.concurrency import map_drained
from leafward.engines.boolean import BooleanEngine
from leafward.errors import QuerySyntaxError

_STOP = frozenset(["and", "not", "of", "in", "with", "for", "versus", "from"])
FORMS = ("need", "intervention", "group", "fielded")


def expressions(needs: int, seed: int = 0) -> dict[str, list[str]]:
    """Expressions by form, ``needs`` of each, from the test needs of Evidence Inference.

    need: all its words. intervention: three words of it. group: a union of intervention words and
    a truncated one, joined with outcome words. fielded: phrases, tags, dates and NOT.
    """
    path = DATA / "evidence_inference_pico" / "queries.jsonl"
    rows = [json.loads(line)["pico"] for line in path.read_text(encoding="utf-8").splitlines()]
    made: dict[str, list[str]] = {form: [] for form in FORMS}
    for pico in random.Random(seed).sample(rows, len(rows)):
        drug, outcome = _words(pico.get("I", "")), _words(pico.get("O", ""))
        if len(drug) < 2 or len(outcome) < 2 or len(made["need"]) == needs:
            continue
        stem = max(drug, key=len)[:7]
        made["need"].append(" ".join([*drug, *outcome]))
        made["intervention"].append(" ".join(drug[:3]))
        made["group"].append(f"({drug[0]} OR {drug[1]} OR {stem}*) AND ({' OR '.join(outcome)})")
        made["fielded"].append(
            f'("{drug[0]} {drug[1]}"[tiab] OR ({drug[0]}[ti] AND {drug[1]}[tw])) '
            f"AND {outcome[0]}[tiab] AND 2000:2018[dp] NOT review[ti]"
        )
    return made


def _words(text: str) -> list[str]:
    found = re.findall(r"[A-Za-z]{4,}", text)
    return [word for word in dict.fromkeys(found) if word.lower() not in _STOP]


def measure(engine: BooleanEngine, asked: Sequence[str], k: int) -> dict[str, float | int]:
    """Expressions a second, one after the other, and what they found."""
    totals: list[int] = []
    refused = 0
    wall, used = time.perf_counter(), time.process_time()
    for expression in asked:
        try:
            totals.append(engine.find(expression, k=k).total or 0)
        except QuerySyntaxError:
            refused += 1
    wall, used = time.perf_counter() - wall, time.process_time() - used
    return {
        "expressions": len(asked),
        "refused": refused,
        "per_second": round(len(asked) / wall),
        "per_processor_second": round(len(asked) / used),
        "median_hits": sorted(totals)[len(totals) // 2],
        "without_hits": sum(not total for total in totals),
        "beyond_k": sum(total > k for total in totals),
    }


async def _side_by_side(engine: BooleanEngine, asked: Sequence[str], k: int) -> float:
    started = time.perf_counter()
    await map_drained(lambda text: engine.search(text, k=k), asked, limit=8)
    return round(len(asked) / (time.perf_counter() - started))


def run(needs: int) -> dict[str, object]:
    """Build the index in a temporary folder, and measure each form at two cuts."""
    made = expressions(needs)
    mixed = [text for group in zip(*made.values(), strict=True) for text in group]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "boolean"
        started, used = time.perf_counter(), time.process_time()
        BooleanEngine.build(folder, read_union(DATA))
        built, used = time.perf_counter() - started, time.process_time() - used
        size = sum(path.stat().st_size for path in folder.iterdir())
        results = {
            f"k={k}": {
                form: measure(BooleanEngine.open(folder), asked, k)
                for form, asked in {**made, "mixed": mixed}.items()
            }
            for k in (200, 3000)
        }
        engine = BooleanEngine.open(folder)
        measure(engine, mixed, 200)  # so that its terms are remembered
        return {
            "documents": engine.count,
            "build_seconds": round(built, 2),
            "build_processor_seconds": round(used, 2),
            "index_megabytes": round(size / 1e6, 1),
            **results,
            "mixed_k=200_second_time": measure(engine, mixed, 200),
            "mixed_k=200_asyncio_8_per_second": asyncio.run(_side_by_side(engine, mixed, 200)),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--needs", type=int, default=500)
    result = run(parser.parse_args().needs)
    save("boolean_speed", result)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
