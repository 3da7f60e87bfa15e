"""Tables of docs/figures.md on how sources are weighed against each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leafward.evaluate.statistics import told_p


def fusion_tables(stored: Mapping[str, Any]) -> str:
    """What was chosen on training queries, and what it is worth on test queries."""
    lines = [
        "## Fusion",
        "",
        "`python -m benchmarks.fusion_weights`: everything is chosen by mean nDCG@10 over "
        f"{stored['queries_a_training_set']} training queries each of SciFact, StrategyQA's facts "
        "and NFCorpus, and shown on all of their test queries. Differences are paired, with 95 % "
        "bootstrap intervals; p by randomisation test, corrected (Holm) over the rows of a table."
        " The *embedding* judge is the zero-key default. The *simulated* one is a noisy oracle: "
        "it stands in for a language model and says nothing of any. Read together: where the tree"
        " sees what dense sees, it adds nothing to BM25 and dense; where it is far better than "
        "both, they add nothing to it; weights that adapt are nearer to either than the paper's "
        "fixed ones on SciFact, and not on the two others.",
        "",
        *_chosen(stored["train"], stored["chosen"]),
    ]
    for name, rows in stored["test"].items():
        lines += ["", f"### {name}", "", *_table(rows)]
    return "\n".join(lines)


def _chosen(train: Mapping[str, Mapping[str, float]], chosen: Mapping[str, str]) -> list[str]:
    lines = [
        "| chosen on train | of | best | nDCG@10 | beside |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, values in train.items():
        best = chosen[name]
        beside = _beside(name, values, best)
        lines.append(f"| {name} | {len(values)} | {best} | {values[best]:.4f} | {beside} |")
    return lines


def _beside(name: str, values: Mapping[str, float], best: str) -> str:
    """What the choice is to be held against: no adaptation, equal weights, the paper's."""
    if name == "power":
        return ", ".join(f"{power}: {value:.4f}" for power, value in values.items())
    plain = "0.5/0.5" if name == "hybrid weights" else "0.6/0.2/0.2"
    return "" if plain == best else f"{plain}: {values[plain]:.4f}"


def _table(rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    baseline = next(name for name, row in rows.items() if len(row) == 2)
    lines = [
        f"| method | nDCG@10 | against {baseline} | p | won, tied, lost |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, row in rows.items():
        low, high = row["interval"]["low"], row["interval"]["high"]
        quality = f"{row['ndcg']:.3f} [{low:.3f}, {high:.3f}]"
        lines.append(f"| {name} | {quality} | {_difference(row.get(f'against {baseline}'))} |")
    return lines


def _difference(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "| |"
    low, high = found["interval"]["low"], found["interval"]["high"]
    counts = f"{found['wins']}, {found['ties']}, {found['losses']}"
    gain = f"{found['difference']:+.3f} [{low:+.3f}, {high:+.3f}]"
    return f"{gain} | {told_p(found['p_corrected'])} | {counts}"
