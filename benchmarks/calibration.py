"""One `absorb` at 40 slates of 20 candidates, beside a 200-step AdamW fit of the same model.

    python -m benchmarks.calibration [--rounds 200]

The fit is the one that LATTICE's public code makes after each iteration (AdamW, learning rate
0.01, weight decay 1e-4, 200 steps, torch). Both are timed in turn in one run; quote the ratio.
Without torch only ours is timed.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from collections.abc import Callable

import numpy as np

from benchmarks.machine import save
from leafward.search import Traversal
from leafward.settings import SearchSettings
from leafward.types import Branch, Judgement, Slate, Tree, number

SLATES, CANDIDATES = 40, 20


def wide_tree() -> Tree:
    """Ten leaves a node, so that ten references make a slate of twenty."""
    groups = [Branch(f"g{n}", "", tuple(f"d{n}-{m}" for m in range(10))) for n in range(100)]
    upper = [Branch(f"u{n}", "", tuple(groups[10 * n : 10 * n + 10])) for n in range(10)]
    return number(Branch("root", "", tuple(upper)))


def prepared() -> tuple[Traversal, Slate, Judgement]:
    """A search with 39 judgements taken, and the fortieth."""
    rng = np.random.default_rng(0)
    traversal = Traversal(wide_tree(), "q", SearchSettings(beam=1, iterations=SLATES))
    while True:
        slate = traversal.next_slate()
        assert slate is not None
        # Mostly leaf slates, as in a real search: lift what is close to the leaves.
        scores = {c.node: float(rng.random()) for c in slate.candidates}
        if slate.id == SLATES - 1:
            return traversal, slate, Judgement(scores)
        traversal.absorb(slate.id, Judgement(scores))


def history(traversal: Traversal) -> tuple[list[list[int]], list[list[float]]]:
    """Slates and scores of a search as lists, nodes renumbered."""
    index: dict[int, int] = {}
    slates, scores = [], []
    for step in traversal.steps:
        assert step.judgement is not None
        slates.append([index.setdefault(node, len(index)) for node in step.judgement.scores])
        scores.append(list(step.judgement.scores.values()))
    return slates, scores


def adamw_fit(slates: list[list[int]], scores: list[list[float]]) -> Callable[[], None]:
    """The same model, fitted by 200 AdamW steps."""
    import torch

    rows = torch.tensor([row for row, slate in enumerate(slates) for _ in slate])
    nodes = torch.tensor([node for slate in slates for node in slate])
    target = torch.tensor([score for slate in scores for score in slate])

    def run() -> None:
        theta = torch.nn.Parameter(torch.randn(int(nodes.max()) + 1) * 0.01)
        bias = torch.nn.Parameter(torch.zeros(len(slates)))
        optimiser = torch.optim.AdamW([theta, bias], lr=1e-2, weight_decay=1e-4)
        for _ in range(200):
            optimiser.zero_grad()
            loss = ((theta[nodes] + bias[rows] - target) ** 2).mean()
            loss.backward()
            optimiser.step()

    return run


def timed(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds

    traversal, slate, judgement = prepared()
    after = copy.deepcopy(traversal)
    after.absorb(slate.id, judgement)
    slates, scores = history(after)
    try:
        reference: Callable[[], None] | None = adamw_fit(slates, scores)
    except ImportError:
        reference = None

    ours, theirs = [], []
    for turn in range(rounds):
        fresh = copy.deepcopy(traversal)
        ours.append(timed(lambda state=fresh: state.absorb(slate.id, judgement)))  # type: ignore[misc]
        if reference is not None and turn % 10 == 0:
            theirs.append(timed(reference))

    result: dict[str, object] = {
        "slates": len(slates),
        "candidates_per_slate": statistics.mean(map(len, slates)),
        "nodes": len({node for slate in slates for node in slate}),
        "absorb_ms": {"median": statistics.median(ours), "min": min(ours), "rounds": rounds},
    }
    if theirs:
        result["adamw_200_steps_ms"] = {"median": statistics.median(theirs), "min": min(theirs)}
        result["ratio_of_medians"] = statistics.median(theirs) / statistics.median(ours)
    print(save("calibration", result).read_text())


if __name__ == "__main__":
    main()
