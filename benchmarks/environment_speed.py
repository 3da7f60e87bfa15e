"""Episodes a second of the query-writing environment on the biomedical union of 19,406 records.

    python -m benchmarks.environment_speed [--needs 500]

Completions are real PICO needs written as a policy writes them: in the format, a tenth of them with
a fault in it. Counted from completion to reward, with one engine call for each new expression
(cold), with every expression remembered (warm), and with groups of eight completions of a need that
share half of their expressions, as in training. Writes ``results/environment_speed.json``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.biomedical import read_union
from benchmarks.boolean_speed import expressions
from benchmarks.data import DATA
from benchmarks.machine import save
from leafward.engines.boolean import BooleanEngine
from leafward.library.writing import read_needs
from leafward.types import Episode, Need
from leafward.writing import Environment, tally

GROUP = 8
BATCH = 256
"""Completions in one step."""


def completions(texts: Sequence[str]) -> list[str]:
    """Expressions in the format; every tenth lacks its closing tag."""
    whole = (f"<think>the drug</think><answer>{json.dumps({'query': text})}" for text in texts)
    return [text + ("" if place % 10 == 9 else "</answer>") for place, text in enumerate(whole)]


async def measure(
    environment: Environment, texts: Sequence[str], needs: Sequence[Need]
) -> dict[str, float | int | None]:
    """Judge everything in steps; episodes a second by wall clock and processor time."""
    executed, episodes = environment.executed, list[Episode]()
    wall, used = time.perf_counter(), time.process_time()
    for start in range(0, len(texts), BATCH):
        part = slice(start, start + BATCH)
        episodes += await environment.step(texts[part], needs[part])
    wall, used = time.perf_counter() - wall, time.process_time() - used
    summed = tally(episodes)
    return {
        "episodes": len(episodes),
        "executed": environment.executed - executed,
        "unscored": summed.unscored,
        "per_second": round(len(episodes) / wall),
        "per_processor_second": round(len(episodes) / used),
        "valid": summed.valid,
        "at_cap": summed.at_cap,
    }


def run(count: int) -> dict[str, object]:
    """Build the index in a temporary folder, and measure each way at two cut-offs."""
    made = expressions(count)
    mixed = [text for group in zip(*made.values(), strict=True) for text in group]
    needs = read_needs(DATA / "evidence_inference_pico", split="train", limit=len(mixed))
    grouped = [mixed[place - place % 2] for place in range(len(mixed))]
    of_group = [needs[place - place % GROUP] for place in range(len(mixed))]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "boolean"
        BooleanEngine.build(folder, read_union(DATA))
        results: dict[str, object] = {}
        for k in (200, 3000):
            engine = BooleanEngine.open(folder)
            once = Environment(needs, engine, f"literature@{k}")
            group = Environment(needs, BooleanEngine.open(folder), f"literature@{k}")
            results[f"literature@{k}"] = {
                "cold": asyncio.run(measure(once, completions(mixed), needs)),
                "warm": asyncio.run(measure(once, completions(mixed), needs)),
                "groups": asyncio.run(measure(group, completions(grouped), of_group)),
            }
        return {"documents": engine.count, "batch": BATCH, **results}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--needs", type=int, default=500)
    result = run(parser.parse_args().needs)
    save("environment_speed", result)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
