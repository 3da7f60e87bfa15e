"""Write docs/figures.md and its picture from the stored results, so that no number is typed.

python -m benchmarks.figures
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.findings import NARROW, SAME, findings_tables
from benchmarks.fusion_table import fusion_tables
from benchmarks.machine import RESULTS
from benchmarks.zero_shot_table import zero_shot_tables
from leafward.evaluate.experiments.figures.style import (
    colour,
    legend_below,
    marker,
    new_figure,
    styled,
)

DOCS = Path(__file__).parents[1] / "docs"


def result(name: str) -> dict[str, Any]:
    """A stored result; its own benchmark wrote it."""
    loaded: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return loaded


def ablation() -> str:
    stored = result("ablation")
    lines = [
        "## The algorithm on simulated judgements",
        "",
        "`python -m benchmarks.ablation --queries 40` · noisy oracle, "
        f"{stored['seeds']} seeds, {stored['budget']} slates a query, lock-step. **Simulated**: "
        "this measures the algorithm, not a language model. Documents judged relevant have 0.9, "
        "others up to 0.6 by MiniLM cosine, a node half its best leaf and half their mean; each "
        "noise model is defined in `leafward.search.NoiseModel`. nDCG@10 with the 95 % bootstrap "
        "interval over queries of the paired difference to the full algorithm.",
    ]
    parts = {k: v for k, v in stored.items() if isinstance(v, dict) and "rows" in v}
    for name, part in parts.items():
        lines += _ablation_table(name, part)
    lines += ["", "### The paper's findings beside ours", "", *_about_findings(), ""]
    lines += findings_tables(parts)
    lines += ["", "![nDCG@10 by number of references](ablation.svg)"]
    return "\n".join(lines)


def _about_findings() -> list[str]:
    return [
        "Each row changes one thing. What the paper reports has no intervals; a difference of at "
        f"most {100 * SAME:g} points is read as about the same. Ours *agrees* with a loss where "
        "the whole interval of the difference lies below 0, with about the same where the "
        f"difference is not clear and its interval lies within ±{NARROW:g}; what an interval "
        "cannot decide is *open*. The judge is simulated, and its noise was fixed beforehand: that "
        "a finding is missing under a noise model tells of this noise model, not of the paper. "
        "The paper's reranker has an embedding model's shortlist, ours BM25's.",
    ]


def _ablation_table(name: str, part: dict[str, Any]) -> list[str]:
    noises = list(dict.fromkeys(key.split("|")[0] for key in part["rows"]))
    changes = list(dict.fromkeys(key.split("|")[1] for key in part["rows"]))
    lines = [
        "",
        f"### {name}: {part['queries']} test queries, {part['documents']} documents, "
        f"depth {part['depth']}",
        "",
        "| row | " + " | ".join(noises) + " |",
        "| --- |" + " --- |" * len(noises),
    ]
    for change in changes:
        cells = [_cell(part["rows"][f"{noise}|{change}"], change) for noise in noises]
        lines.append(f"| {change} | " + " | ".join(cells) + " |")
    return lines


def _cell(row: dict[str, Any], change: str) -> str:
    low, high = row["interval"] if change == "full" else row["difference_interval"]
    if change == "full":
        return f"**{row['ndcg']:.3f}** [{low:.3f}, {high:.3f}]"
    return f"{row['ndcg']:.3f} ({row['difference']:+.3f} [{low:+.3f}, {high:+.3f}])"


def picture() -> None:
    """nDCG@10 by number of references, a panel for each data set."""
    parts = {k: v for k, v in result("ablation").items() if isinstance(v, dict) and "rows" in v}
    counts = (0, 1, 3, 5, 10)
    with styled():
        figure = new_figure(3.6)
        panels = np.atleast_1d(figure.subplots(1, len(parts), sharey=True))
        for axes, (name, part) in zip(panels, parts.items(), strict=True):
            for place, noise in enumerate(dict.fromkeys(k.split("|")[0] for k in part["rows"])):
                rows = [part["rows"][f"{noise}|references {count}"] for count in counts]
                means = [row["ndcg"] for row in rows]
                ends = zip(*(row["interval"] for row in rows), strict=True)
                axes.plot(counts, means, color=colour(place), marker=marker(place), label=noise)
                axes.fill_between(counts, *ends, color=colour(place), alpha=0.13, linewidth=0)
            axes.set_title(f"{name}, n = {part['queries']}")
            axes.set_xlabel("references on a slate of leaves (ℓ)")
            axes.set_xticks(counts)
            axes.set_ylim(0, 1.02)
        panels[0].set_ylabel("nDCG@10 (simulated judge)")
        legend_below(figure, panels[0], columns=3)
        figure.savefig(DOCS / "ablation.svg", metadata={"Date": None})


def speed() -> str:
    calibration, schedules, large = (result(name) for name in ("calibration", "schedules", "large"))
    ours, theirs = calibration["absorb_ms"], calibration["adamw_200_steps_ms"]
    rows = schedules["schedules"]
    table = [
        f"| {name} | {row['slates_per_second']:.1f} | {row['ndcg@10']:.3f} |"
        for name, row in rows.items()
    ]
    return "\n".join(
        [
            "## Speed",
            "",
            "One `absorb` (refit, path relevance of every scored node, frontier) at "
            f"{calibration['slates']} slates of about {calibration['candidates_per_slate']:.0f} "
            f"candidates: **{ours['median']:.2f} ms** median; a 200-step AdamW fit of the same "
            f"model in the same run: {theirs['median']:.0f} ms, "
            f"{calibration['ratio_of_medians']:.0f} times as long "
            "(`python -m benchmarks.calibration`).",
            "",
            f"Schedules, {schedules['queries']} queries in flight, log-normal latency with median "
            f"{schedules['median_latency']:g} s and σ = "
            f"{schedules['sigma']:g}, same budget, scripted judge (`python -m "
            "benchmarks.schedules`). Without a barrier throughput is "
            f"{schedules['free / lockstep per query']:.2f} times that of lock-step per query and "
            f"{schedules['free / one barrier']:.2f} times that of one barrier for all queries, "
            "as LATTICE's public code has it:",
            "",
            "| schedule | slates a second | nDCG@10 (simulated) |",
            "| --- | --- | --- |",
            *table,
            "",
            f"{large['passages']:,} synthetic passages, model-free, lexical embedder (`python -m "
            f"benchmarks.large`): built in {large['build_cpu_seconds']:.0f} s of processor time "
            f"({large['build_seconds']:.0f} s by the clock), peak memory "
            f"{large['peak_memory_mb']:.0f} MB, {large['nodes']:,} nodes, depth {large['depth']}, "
            f"{large['index_mb']:.0f} MB on disk; opens in **{large['open_seconds']:.2f} s** "
            f"(median of {5}; worst {large['open_seconds_worst']:.2f} s), after "
            f"{large['import_seconds']:.2f} s of imports.",
        ]
    )


HEAD = (
    "| data set | method | queries | nDCG@10 [95 % interval] | seconds a query | tokens a query |"
)


def zero_key() -> str:
    """What costs nothing, on all queries."""
    stored = result("zero_key")
    lines = [HEAD, "| --- | --- | --- | --- | --- | --- |"]
    for name, part in stored.items():
        if name != "machine":
            lines += [quality_row(name, method, row) for method, row in part.items()]
    return "\n".join(lines)


def local_model() -> str:
    """The packaged language model under its cap, beside what costs nothing on the same queries."""
    stored = result("local_model")
    lines = [HEAD, "| --- | --- | --- | --- | --- | --- |"]
    for name, part in stored.items():
        if name != "machine":
            lines += [quality_row(part["collection"], row["label"], row) for row in part["methods"]]
    return "\n".join(lines)


def quality_row(collection: str, method: str, row: dict[str, Any]) -> str:
    """One line of a table: quality with its interval, and what a query takes."""
    quality, usage, queries = row["measures"]["nDCG@10"], row["usage"], row["queries"]
    low, high = quality["interval"]
    tokens = usage["prompt_tokens"] + usage["completion_tokens"] + usage["saved_tokens"]
    return (
        f"| {collection} | {method} | {queries} | {quality['mean']:.3f} [{low:.3f}, {high:.3f}] | "
        f"{row['median_seconds']:.2f} | {tokens / queries:,.0f} |"
    )


def between(text: str, name: str, table: str) -> str:
    """A page with the table between the marks of this name replaced."""
    begin, end = f"<!-- {name} figures: begin -->", f"<!-- {name} figures: end -->"
    before, rest = text.split(begin)
    return f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}"


def main() -> None:
    machine = result("calibration")["machine"]
    processor = f"{machine['processor']}, {machine['cores']} cores (shared), {machine['system']}"
    parts = [
        "# Figures",
        "",
        f"Made by `python -m benchmarks.figures` from `benchmarks/results/`. Machine: {processor}.",
        "",
        ablation(),
        "",
        speed(),
        "",
        "## What the zero-key default is worth",
        "",
        "`python -m benchmarks.zero_key`: all test queries, default settings.",
        "",
        zero_key(),
        "",
        fusion_tables(result("fusion_weights")),
        "",
        "## What the packaged 1.5B model is worth",
        "",
        "`leafward experiment run benchmarks/bright_local/biology.toml` and `theoremqa.toml`, "
        "then `python -m benchmarks.local_model`. Qwen2.5-Coder-1.5B on two shared cores, letters"
        " in two orders fused with MiniLM: at most three slates (six calls) a query for the tree "
        "and two windows (four calls) for the reranker, six candidates in each; the method names "
        "are spelled out in those files. The calls were answered by llama.cpp compiled for this "
        "processor ([models](models.md)), 1.6 times as fast as the wheel, which agrees with it "
        "but for rounding. Seconds are medians of one thread beside another one; `tree++` repeats"
        " calls of `tree`, which are kept.",
        "",
        local_model(),
        "",
        zero_shot_tables(result("zero_shot")),
        "",
    ]
    (DOCS / "figures.md").write_text("\n".join(parts))
    picture()
    readme = DOCS.parent / "README.md"
    text = between(readme.read_text(), "zero-key", zero_key())
    readme.write_text(between(text, "local", local_model()))


if __name__ == "__main__":
    main()
