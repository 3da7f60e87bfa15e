"""Whether a finding agrees is read off its interval; the ablation's measure is everyone's."""

from __future__ import annotations

from typing import Any

import ir_measures
import pytest
from benchmarks.ablation import RERANK, ROWS, ndcg
from benchmarks.findings import FINDINGS, Claim, findings_tables, verdict
from hypothesis import given
from hypothesis import strategies as st


def row(difference: float, low: float, high: float) -> dict[str, Any]:
    return {"difference": difference, "difference_interval": [low, high]}


@pytest.mark.parametrize(
    ("claim", "found", "said"),
    [
        ("worse", row(-0.1, -0.2, -0.01), "agrees"),
        ("worse", row(-0.1, -0.2, 0.01), "open"),
        ("worse", row(0.1, 0.02, 0.2), "disagrees"),
        ("about the same", row(0.0, -0.02, 0.02), "agrees"),
        ("about the same", row(0.0, -0.2, 0.2), "open"),
        ("about the same", row(-0.01, -0.02, -0.001), "agrees"),
        ("about the same", row(-0.1, -0.2, -0.01), "disagrees"),
        ("about the same", row(0.1, 0.01, 0.2), "disagrees"),
    ],
)
def test_verdicts(claim: Claim, found: dict[str, Any], said: str) -> None:
    assert verdict(claim, found) == said


def test_claims_of_the_paper() -> None:
    claims = {finding.row: finding.claim for finding in FINDINGS}
    assert claims["references 5"] == claims["B 1, N 40"] == claims["B 4, N 10"] == "about the same"
    assert [name for name, claim in claims.items() if claim == "worse"] == [
        "no calibration", "no path relevance (alpha 0)",
        "references 0", "references 1", "references 3", "B 8, N 5",
    ]  # fmt: skip
    assert set(claims) <= set(ROWS)


def test_the_table_counts_its_own_cells() -> None:
    rows = {f"noise|{name}": row(-0.1, -0.2, -0.01) for name in (*ROWS, RERANK)}
    lines = findings_tables({"set": {"rows": rows}})
    assert len([line for line in lines if line.startswith("| ")]) == 2 + len(FINDINGS) + 1
    assert lines[-1] == "Of 10 comparisons: 7 agrees, 3 disagrees, 0 open."


@given(st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, min_size=1), st.sets(
    st.sampled_from("abcdefgh"), min_size=1))  # fmt: skip
def test_ndcg_is_that_of_ir_measures(ranked: list[str], gold: set[str]) -> None:
    run = {"q": {doc: float(len(ranked) - place) for place, doc in enumerate(ranked)}}
    measure = ir_measures.nDCG @ 10
    theirs = ir_measures.calc_aggregate([measure], {"q": dict.fromkeys(gold, 1)}, run)[measure]
    assert ndcg(ranked, dict.fromkeys(gold, 0.9)) == pytest.approx(theirs, abs=1e-9)
