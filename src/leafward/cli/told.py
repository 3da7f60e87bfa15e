"""The end of a build in words: what was made, what it cost against the plan, how well it routes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from leafward.cli.clean import one_line
from leafward.cli.output import told_money, told_usage

if TYPE_CHECKING:
    from leafward.corpus import Problem
    from leafward.library import IndexReport
    from leafward.search.probe import ProbeReport

_PROBLEMS = 10


def told_report(report: IndexReport, index: Path, *, probe: bool = True) -> list[str]:
    """Lines for a person; the JSON has the same and more. ``probe``: was one asked for?"""
    size = f"{report.documents:,} documents under {report.nodes:,} nodes, {report.depth} deep"
    if report.up_to_date:
        return [*told_problems(report.problems), f"{index} is up to date: {size}"]
    lines = [*told_problems(report.problems), f"{index}: {size}"]
    lines.append(f"strategy {report.strategy}, {report.seconds:,.1f} s")
    lines += _told_cost(report)
    if report.extractive and report.usage.calls:
        lines.append(f"{report.extractive:,} documents have an extractive summary")
    if report.repairs:
        repairs = ", ".join(f"{name} {count:,}" for name, count in sorted(report.repairs.items()))
        lines.append(f"repaired: {repairs}")
    if report.probe is not None:
        lines.append(told_probe(report.probe))
    elif report.unprobed and probe:
        lines.append(f"not probed: {one_line(report.unprobed)}")
    return lines


def _told_cost(report: IndexReport) -> list[str]:
    """Plan and use side by side; nothing where no model was asked."""
    used, plan = report.usage, report.plan
    if plan is None or not (plan.plan.calls or used.calls or used.cache_hits):
        return []
    rows = (
        ("calls", f"{plan.plan.calls:,}", f"{used.calls:,}"),
        ("tokens in", f"{plan.plan.prompt_tokens:,}", f"{used.prompt_tokens:,}"),
        ("tokens out", f"{plan.plan.completion_tokens:,}", f"{used.completion_tokens:,}"),
        ("money", told_money(plan.money), told_money(used.money)),
    )
    lines = [f"{'':10}  {'planned':>14}  {'used':>14}"]
    lines += [f"{name:10}  {planned:>14}  {real:>14}" for name, planned, real in rows]
    if used.cache_hits:
        lines.append(f"{used.cache_hits:,} answers came from the cache")
    return lines


def told_probe(probe: ProbeReport) -> str:
    """The routing probe in one line."""
    sampled = probe.documents - probe.failed
    levels = ", ".join(f"{share:.0%}" for share in probe.first)
    line = f"routing probe: {probe.reached:.0%} of {sampled} sampled documents reached"
    line += f"; true child first by level: {levels}" if levels else ""
    return f"{line} ({told_usage(probe.usage)})" if probe.usage.calls else line


def told_problems(problems: tuple[Problem, ...]) -> list[str]:
    """What was left out, the first few by place and the rest counted."""
    lines = [f"left out: {one_line(str(problem))}" for problem in problems[:_PROBLEMS]]
    more = len(problems) - len(lines)
    return [*lines, f"left out: {more:,} more (--json lists all)"] if more > 0 else lines
