"""A training run, planned or done, for people and as JSON."""

from __future__ import annotations

import shlex
import statistics
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from leafward.cli.clean import one_line
from leafward.cli.training_shapes import TrainedMethodOut, TrainingOut, TrainingPlanOut

if TYPE_CHECKING:
    from leafward.library.training import TrainingReport
    from leafward.training.answers import Method
    from leafward.training.planning import TrainingPlan


def plan_out(plan: TrainingPlan) -> TrainingPlanOut:
    """The plan as it is printed with --json."""
    return TrainingPlanOut(**{**asdict(plan), "command": list(plan.command)})


def told_plan(plan: TrainingPlan) -> Iterator[str]:
    """The plan in lines."""
    yield f"{one_line(plan.name)}: {plan.trainer}, {plan.model} on {plan.engine}, {plan.reward}"
    rows = [
        ("needs trained on", f"{plan.train_needs:,}"),
        ("needs held out", f"{plan.watched_needs:,}"),
        ("needs compared on", f"{plan.compared_needs:,}"),
        ("tokens of a prompt", f"{plan.prompt_tokens:,} (the same in all: {plan.shared_tokens:,})"),
        ("completions a step", f"{plan.completions:,}"),
        ("tokens a step", f"{plan.step_tokens:,} at most"),
        ("steps", f"{plan.steps:,}, {plan.steps_done:,} of them done"),
        ("epochs", f"{plan.epochs:.2f}"),
        ("completions in all", f"{plan.total_completions:,}"),
        ("time left", _told_time(plan.seconds)),
        ("folder", plan.out),
    ]
    yield from (f"{name:<20} {value}" for name, value in rows)
    if plan.command:
        yield from ("", "in verl's environment, on the machine with the GPUs:", "")
        yield f"  {shlex.join(plan.command)}"


def _told_time(seconds: float | None) -> str:
    if seconds is None:
        return "unknown before the first step"
    return f"{seconds / 3600:.1f} hours" if seconds >= 3600 else f"{seconds / 60:.0f} minutes"


def training_out(report: TrainingReport) -> TrainingOut:
    """The result as it is printed with --json."""
    return TrainingOut(
        name=report.name,
        out=str(report.out),
        best=str(report.best),
        report=str(report.report),
        steps=report.steps,
        best_step=report.best_step,
        methods=[_method_out(method) for method in report.methods],
    )


def told_training(report: TrainingReport) -> Iterator[str]:
    """The result in lines."""
    yield f"{report.steps:,} steps; the policy of step {report.best_step:,} is {report.best}"
    yield f"{'':14} {'needs':>6} {'found':>7} {'reward':>7} {'format wrong':>13}"
    for method in map(_method_out, report.methods):
        cells = f"{method.label:<14} {method.needs:>6,}"
        if method.found is None or method.reward is None or method.format_wrong is None:
            yield cells
            continue
        yield f"{cells} {method.found:>7.3f} {method.reward:>+7.2f} {method.format_wrong:>13.1%}"
    yield f"report: {report.report}"


def _method_out(method: Method) -> TrainedMethodOut:
    scored = method.scored()
    wrong = [float(not answer.well_formed) for answer in scored]
    return TrainedMethodOut(
        label=method.label,
        about=method.about,
        needs=len(scored),
        found=statistics.fmean(method.found().values()) if scored else None,
        reward=statistics.fmean(method.rewards().values()) if scored else None,
        format_wrong=statistics.fmean(wrong) if scored else None,
    )
