"""A small collection of trials, with PICO needs in two splits, and a recipe for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leafward.training import Recipe, recipe_from

DRUGS = (
    "aspirin",
    "heparin",
    "warfarin",
    "statin",
    "insulin",
    "metformin",
    "morphine",
    "ibuprofen",
)
OUTCOMES = ("stroke", "pain", "death", "bleeding", "relapse")


def make_data(folder: Path) -> Path:
    """Write corpora and a BEIR folder: a trial for each drug and outcome, a need for each trial."""
    trials = folder / "trials"
    (trials / "qrels").mkdir(parents=True)
    documents, queries = [], []
    judged: dict[str, list[str]] = {"train": [], "dev": []}
    for place, (drug, outcome) in enumerate((d, o) for d in DRUGS for o in OUTCOMES):
        text = f"A randomised trial of {drug} against placebo, with {outcome} as its outcome."
        documents.append({"_id": f"t{place}", "title": f"{drug} and {outcome}", "text": text})
        pico = {"I": f"{drug} daily", "C": "placebo", "O": f"{outcome} at a year"}
        told = f"{pico['I']} versus placebo: {pico['O']}"
        queries.append({"_id": f"n{place}", "text": told, "pico": pico})
        judged["dev" if place % 4 == 0 else "train"].append(f"n{place}\tt{place}\t1")
    _lines(trials / "corpus.jsonl", documents)
    _lines(trials / "queries.jsonl", queries)
    for split, rows in judged.items():
        lines = ["query-id\tcorpus-id\tscore", *rows]
        (trials / "qrels" / f"{split}.tsv").write_text("\n".join(lines) + "\n")
    others = folder / "others"
    others.mkdir()
    _lines(
        others / "corpus.jsonl",
        [
            {"_id": "t0", "title": "another text under a taken id", "text": "it comes second"},
            {"_id": "o1", "title": "of nothing", "text": "a record that no need is about"},
        ],
    )
    return folder


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def small_recipe(folder: Path, **changes: Any) -> Recipe:
    """A recipe over :func:`make_data`'s folder."""
    given: dict[str, Any] = {
        "model": "checkpoint:tiny",
        "engine": {"name": "boolean", "corpora": ["trials", "others"]},
        "reward": "literature@10",
        "needs": {"source": "trials", "watch": 4},
        "prompt": {"reasoning": False, "prefilled": True},
        "rollout": {"needs": 2, "group": 4, "max_tokens": 2},
        "update": {"steps": 2, "learning_rate": 1e-3},
        "watch": {"every": 1},
        "compare": {"split": "dev"},
        "device": "cpu",
        "threads": 1,
    }
    return recipe_from({**given, **changes}, folder / "small.toml")
