"""Tables on what prompting alone is worth at writing PubMed expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEAD = (
    *("method", "recall", "found", "reward"),
    *("format wrong", "refused", "finds nothing", "hits", "tokens"),
)


def zero_shot_tables(stored: Mapping[str, Any]) -> str:
    """What each method found at each cut-off."""
    lines = [
        "## Writing PubMed expressions by prompting",
        "",
        f"`python -m benchmarks.zero_shot`: {stored['needs']} PICO needs of the {stored['split']} "
        "split of Evidence Inference, over a Boolean index of 19,406 records (23 without a text) "
        "in date order. A need is *found* where its trial is within the cut-off; recall is the "
        "same where a need has one trial. Models answer greedily, without reasoning, in at most "
        f"{stored['max_tokens']} tokens. 95 % bootstrap intervals; hits are medians of "
        "expressions that ran, tokens means of a need.",
    ]
    for cutoff, rows in stored.items():
        if isinstance(rows, Mapping) and "@" in cutoff:
            lines += ["", f"### Within the first {cutoff.partition('@')[2]}", "", *_table(rows)]
    return "\n".join(lines)


def _table(rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = ["| " + " | ".join(HEAD) + " |", "| --- " * len(HEAD) + "|"]
    for name, row in rows.items():
        cells = [
            name,
            *(_estimate(row[measure]) for measure in ("recall", "found", "reward")),
            *(_share(row[share]) for share in ("format_errors", "refused", "empty_of_all")),
            "–" if row["hits_median"] is None else f"{row['hits_median']:g}",
            f"{row['tokens']:.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _estimate(found: Mapping[str, Any]) -> str:
    return f"{found['mean']:.3f} [{found['interval']['low']:.3f}, {found['interval']['high']:.3f}]"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
