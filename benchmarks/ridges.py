"""How the two ridges of the calibration were chosen: a grid on train queries, simulated judge.

    python -m benchmarks.ridges [--queries 60]

Runs on the train split of StrategyQA's facts, which no other benchmark or test reports on.
Averages over the noise models of benchmarks.ablation and over ℓ ∈ {0, 1, 10}.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks.ablation import FULL, NOISE, ndcg, prepared, simulated
from benchmarks.machine import save
from leafward.search import NoisyOracleJudge, search_one
from leafward.settings import SearchSettings

DATA, SPLIT = "strategyqa_facts", "train"
BIASES = (0.05, 0.2, 0.5, 1.0)
LATENTS = (0.01, 0.05, 0.15, 0.4, 1.0)
REFERENCES = (0, 1, 10)


def one_query(row: int, limit: int) -> dict[str, float]:
    """nDCG@10 by ``noise|references|λ_b|λ_θ`` for one query."""
    collection, tree = prepared(DATA, SPLIT, limit)
    query = collection.queries[row]
    gold, relevance = simulated(collection, tree, row)
    scores: dict[str, float] = {}
    for name, noise in NOISE.items():
        judge = NoisyOracleJudge(lambda _: relevance, noise)
        for references in REFERENCES:
            for bias in BIASES:
                for latent in LATENTS:
                    change = {
                        "references": references,
                        "lambda_bias": bias,
                        "lambda_latent": latent,
                    }
                    settings = SearchSettings.model_validate({**FULL, **change})
                    found = asyncio.run(search_one(tree, query, judge, settings))
                    key = f"{name}|{references}|{bias}|{latent}"
                    scores[key] = ndcg([hit.doc_id for hit in found], gold)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=60)
    limit = parser.parse_args().queries
    prepared(DATA, SPLIT, limit)  # vectors are made once, before the processes start
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(one_query, row, limit) for row in range(limit)]
        rows = [job.result() for job in jobs]
    means = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
    table = {
        f"lambda_bias {bias}, lambda_latent {latent}": {
            "all": _mean(means, bias, latent),
            **{f"references {ref}": _mean(means, bias, latent, ref) for ref in REFERENCES},
        }
        for bias in BIASES
        for latent in LATENTS
    }
    for key, value in table.items():
        print(key, {name: round(figure, 4) for name, figure in value.items()})
    print(save("ridges", {"simulated": True, "queries": limit, "ndcg@10": table, "cells": means}))


def _mean(
    means: dict[str, float], bias: float, latent: float, references: int | None = None
) -> float:
    chosen = [
        value
        for key, value in means.items()
        if key.endswith(f"|{bias}|{latent}")
        and (references is None or key.split("|")[1] == str(references))
    ]
    return float(np.mean(chosen))


if __name__ == "__main__":
    main()
