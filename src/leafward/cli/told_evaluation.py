"""Evaluations, experiments and comparisons in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.cli.clean import one_line
from leafward.cli.output import told_usage

if TYPE_CHECKING:
    from leafward.evaluate import Comparison, Estimate
    from leafward.evaluate.experiments.comparing import ExperimentComparison
    from leafward.library.evaluating import Evaluation
    from leafward.library.experimenting import ExperimentReport


def told_evaluation(evaluation: Evaluation) -> list[str]:
    """Measures with intervals, the baseline beside them, then what it took."""
    summary, base = evaluation.summary, evaluation.baseline
    lines = [
        f"{one_line(summary.method)} on {one_line(summary.collection)} "
        f"{one_line(summary.split)}, {summary.queries:,} queries"
    ]
    width = max((len(name) for name in summary.measures), default=0)
    for name, estimate in summary.measures.items():
        line = f"  {name:{width}}  {told_estimate(estimate)}"
        if (comparison := evaluation.comparisons.get(name)) is not None:
            line += f"   {told_comparison(comparison)}"
        lines.append(line)
    if base is not None:
        lines.append(f"  differences are to {one_line(base.method)}, with wins, ties and losses")
    lines.append(f"  {_told_effort(evaluation)}")
    return [*lines, *_told_gaps(evaluation)]


def _told_effort(evaluation: Evaluation) -> str:
    summary = evaluation.summary
    parts = [told_usage(summary.usage), f"{summary.median_seconds:,.2f} s a query (median)"]
    if summary.judged:
        parts.append(f"{summary.judged:,} documents judged")
    return " · ".join(parts)


def _told_gaps(evaluation: Evaluation) -> list[str]:
    """What a reader must know before believing the numbers."""
    summary, lines = evaluation.summary, []
    if summary.failed:
        lines.append(f"  {summary.failed:,} queries were lost to failures and count in no mean")
    if summary.degraded:
        lines.append(f"  {summary.degraded:,} rankings are worse for a call that was lost")
    if evaluation.absent:
        lines.append(f"  {evaluation.absent:,} relevant documents are not in the index")
    return lines


def told_experiment(report: ExperimentReport) -> list[str]:
    """A line for each method, then where everything is."""
    result = report.result
    width = max(len(method.label) for method in result.methods)
    head = f"{one_line(report.spec.name)}: {result.measure} on {one_line(result.collection.name)} "
    lines = [f"{head}{one_line(result.collection.split)}"]
    for method in result.methods:
        estimate = method.estimates.get(result.measure)
        line = f"  {method.label:{width}}  "
        line += "no ranking" if estimate is None else told_estimate(estimate)
        if (found := report.comparisons.get(method.label)) is not None:
            line += f"   {told_comparison(found)}"
        lines.append(line)
        if method.stopped:
            lines.append(f"  {'':{width}}  ended early: {one_line(method.stopped)}")
    if report.comparisons:
        lines.append(f"  differences are to {result.baseline}, with wins, ties and losses")
    lines.append(f"  this run: {told_usage(report.usage)}")
    return [*lines, f"report: {report.report}"]


def told_comparisons(comparison: ExperimentComparison) -> list[str]:
    """A line for each pair and measure, differences B minus A."""
    lines = [
        f"{one_line(comparison.b)} minus {one_line(comparison.a)}, on "
        f"{one_line(comparison.collection)} {one_line(comparison.split)}"
    ]
    measure = ""
    for pair in comparison.pairs:
        if pair.measure != measure:
            measure = pair.measure
            lines.append(measure)
        name = pair.method_a if pair.method_a == pair.method_b else None
        told = one_line(name or f"{pair.method_b} minus {pair.method_a}")
        lines.append(
            f"  {told}: {pair.a.mean:.3f} → {pair.b.mean:.3f}   {told_comparison(pair.comparison)}"
        )
    for side, names in (("A", comparison.only_a), ("B", comparison.only_b)):
        if names:
            lines.append(f"only in {side}: {', '.join(one_line(name) for name in names)}")
    return lines


def told_estimate(estimate: Estimate) -> str:
    """A mean with its interval."""
    return f"{estimate.mean:.3f} [{estimate.interval.low:.3f}, {estimate.interval.high:.3f}]"


def told_comparison(comparison: Comparison) -> str:
    """A difference with its interval, p and counts."""
    from leafward.evaluate import told_p  # not needed to start the command line

    low, high = comparison.interval.low, comparison.interval.high
    counts = f"{comparison.wins}/{comparison.ties}/{comparison.losses}"
    p = told_p(comparison.p_corrected)
    sign = "" if p.startswith("<") else "="
    return f"{comparison.difference:+.3f} [{low:+.3f}, {high:+.3f}] p{sign}{p} {counts}"
