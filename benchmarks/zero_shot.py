"""What prompting alone is worth at writing PubMed expressions, over 19,406 records.

    python -m benchmarks.zero_shot [--needs 200] [--threads 2]

Needs are of the test split of ``evidence_inference_pico``, drawn with a fixed seed; the packaged
1.5B model answers greedily, unaided (zero-shot) and with our examples (few-shot), beside what costs
nothing. Answers are written down as they come: killed, the same command goes on. Expressions are
judged at two cut-offs, of which the second costs no model anything. Writes
``results/zero_shot.json``.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

import numpy as np

from benchmarks.data import CACHE, DATA
from benchmarks.machine import save
from benchmarks.zero_shot_table import zero_shot_tables
from leafward.evaluate import bootstrap
from leafward.library.training.comparing import Comparing
from leafward.library.training.others import opener
from leafward.library.training.setting import Setting
from leafward.models import Stop
from leafward.protocols import Silent
from leafward.settings import ModelSettings, Settings
from leafward.training.answers import Answer, Method
from leafward.training.recipe import (
    CompareSpec,
    EngineSpec,
    NeedsSpec,
    OtherSpec,
    PromptSpec,
    Recipe,
)

MODEL = "local:qwen2.5-coder-1.5b"
UNION = ("cohen2006_drug_reviews", "evidence_inference_pico", "pubmedqa_l")
MAX_TOKENS = 200
CUTOFFS = ("literature@200", "literature@3000")


def recipe(needs: int, reward: str) -> Recipe:
    """What is compared on what, as a training run says it; nothing is trained."""
    return Recipe(
        name="zero-shot",
        model=MODEL,
        engine=EngineSpec(name="boolean", corpora=tuple(DATA / name for name in UNION)),
        reward=reward,
        needs=NeedsSpec(source=DATA / UNION[1], limit=2, watch=1),
        prompt=PromptSpec(reasoning=False),
        compare=CompareSpec(
            split="test",
            limit=needs,
            others={
                f"1.5B {method}": OtherSpec(model=MODEL, method=method, max_tokens=MAX_TOKENS)
                for method in ("zero-shot", "few-shot")
            },
        ),
        out=CACHE / "zero_shot",
    )


def methods(asked: Recipe, settings: Settings) -> Iterator[Method]:
    """The answers of every method."""
    with ExitStack() as closing:
        setting = closing.enter_context(Setting(asked, settings))
        chat = opener(setting, settings, closing, Stop())
        comparing = Comparing(setting, _untrained, chat, Silent(), Stop())
        yield from comparing.free()
        yield from comparing.others()


def _untrained(place: Path | None) -> NoReturn:
    raise AssertionError("nothing is trained here")


def row(method: Method) -> dict[str, object]:
    """What a method is worth."""
    scored = method.scored()
    run = [each for each in scored if each.hits is not None]
    return {
        "about": method.about,
        "needs": len(scored),
        **{name: _estimate(values) for name, values in _values(method).items()},
        "format_errors": _share([not each.well_formed for each in scored]),
        "refused": _share([each.refused for each in scored]),
        "empty": _share([each.hits == 0 for each in run]),
        "empty_of_all": _share([not each.hits for each in scored]),
        "at_cap": _share([bool(each.at_cap) for each in run]),
        "hits_median": statistics.median(each.hits or 0 for each in run) if run else None,
        "precision": statistics.fmean(each.precision or 0.0 for each in run) if run else None,
        "tokens": statistics.fmean(each.tokens for each in scored),
        "flaws": _counts(scored),
    }


def _values(method: Method) -> dict[str, list[float]]:
    return {
        "recall": list(method.measures().values()),
        "found": list(method.found().values()),
        "reward": list(method.rewards().values()),
    }


def _estimate(values: list[float]) -> dict[str, object]:
    return {"mean": statistics.fmean(values), "interval": asdict(bootstrap(np.array(values)))}


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None


def _counts(answers: Sequence[Answer]) -> dict[str, int]:
    kinds = [kind for answer in answers for kind in set(answer.flaws)]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--needs", type=int, default=200)
    parser.add_argument("--threads", type=int, default=None, help="of llama.cpp")
    given = parser.parse_args()
    settings = Settings(models=ModelSettings(threads=given.threads, context_tokens=2048))
    result: dict[str, object] = {
        **{"model": MODEL, "max_tokens": MAX_TOKENS},
        **{"needs": given.needs, "split": "test"},
    }
    for reward in CUTOFFS:
        found: dict[str, object] = {}
        for method in methods(recipe(given.needs, reward), settings):
            found[method.label] = row(method)
            print(reward, method.label, found[method.label], flush=True)
        result[reward] = found
    save("zero_shot", result)
    print(zero_shot_tables(result))


if __name__ == "__main__":
    main()
