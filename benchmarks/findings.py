"""The paper's findings beside ours, row by row; whether they agree is computed, never written.

What LATTICE v2 reports has no intervals. A difference of at most ``SAME`` is read as "about the
same", a larger loss as "worse". Ours agrees with "worse" where the whole interval of the paired
difference to the full algorithm lies below 0, and with "about the same" where the interval holds 0
or the difference is at most ``SAME``, and the interval is narrow enough to say so. What an interval
cannot decide is "open".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Claim = Literal["worse", "about the same"]
Verdict = Literal["agrees", "disagrees", "open"]

SAME = 0.015
NARROW = 0.05
"""Wider intervals cannot show that two things are about the same."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the paper found when it changed one thing: nDCG@10 in percent, changed and in full."""

    row: str
    changed: float
    full: float
    where: str

    @property
    def claim(self) -> Claim:
        return "about the same" if abs(self.changed - self.full) <= 100 * SAME else "worse"

    @property
    def told(self) -> str:
        return f"{self.claim}: {self.changed:g} against {self.full:g} ({self.where})"


STACK, BIOLOGY = "StackExchange average", "Biology"
FINDINGS = (
    Finding("no calibration", 49.6, 52.0, STACK),
    Finding("no path relevance (alpha 0)", 48.6, 52.0, STACK),
    Finding("references 0", 46.9, 69.5, BIOLOGY),
    Finding("references 1", 60.4, 69.5, BIOLOGY),
    Finding("references 3", 66.2, 69.5, BIOLOGY),
    Finding("references 5", 69.1, 69.5, BIOLOGY),
    Finding("B 1, N 40", 68.9, 69.5, BIOLOGY),
    Finding("B 4, N 10", 68.4, 69.5, BIOLOGY),
    Finding("B 8, N 5", 64.2, 69.5, BIOLOGY),
)
RERANK_CLAIM: Claim = "worse"
RERANK_TOLD = "worse at this budget, better at small ones (Figure 1: a curve, no number)"


def verdict(claim: Claim, row: dict[str, Any]) -> Verdict:
    """Whether a row's interval bears the claim out, contradicts it, or leaves it open."""
    low, high = row["difference_interval"]
    clear = abs(row["difference"]) > SAME and (low > 0 or high < 0)
    if claim == "worse":
        return "agrees" if high < 0 else "disagrees" if low > 0 else "open"
    if clear:
        return "disagrees"
    return "agrees" if max(-low, high) <= NARROW else "open"


def findings_tables(parts: dict[str, dict[str, Any]]) -> list[str]:
    """Lines: for each data set a row for each finding, a column for each noise model; the count."""
    counts: dict[Verdict, int] = {"agrees": 0, "disagrees": 0, "open": 0}
    lines: list[str] = []
    for name, part in parts.items():
        lines += [f"**{name}**", "", *_table(part["rows"], counts), ""]
    told = ", ".join(f"{count} {said}" for said, count in counts.items())
    return [*lines, f"Of {sum(counts.values())} comparisons: {told}."]


def _table(rows: dict[str, Any], counts: dict[Verdict, int]) -> list[str]:
    noises = list(dict.fromkeys(key.split("|")[0] for key in rows))
    claims = [(each.row, each.claim, each.told) for each in FINDINGS]
    rerank = next(key.split("|")[1] for key in rows if "rerank" in key)
    claims.append((rerank, RERANK_CLAIM, RERANK_TOLD))
    lines = [
        "| changed | the paper (real judges) | " + " | ".join(noises) + " |",
        "| --- | --- |" + " --- |" * len(noises),
    ]
    for row, claim, told in claims:
        cells = [_cell(claim, rows[f"{noise}|{row}"], counts) for noise in noises]
        lines.append(f"| {row} | {told} | " + " | ".join(cells) + " |")
    return lines


def _cell(claim: Claim, row: dict[str, Any], counts: dict[Verdict, int]) -> str:
    said = verdict(claim, row)
    counts[said] += 1
    low, high = row["difference_interval"]
    shown = f"**{said}**" if said == "disagrees" else said
    return f"{shown} {row['difference']:+.3f} [{low:+.3f}, {high:+.3f}]"
