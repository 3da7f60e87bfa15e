"""From the library's values to the shapes that are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.cli import shapes

if TYPE_CHECKING:
    from leafward.corpus import Problem
    from leafward.library import IndexReport, PlanReport
    from leafward.types import SearchHit, SearchResult


def search_out(result: SearchResult) -> shapes.SearchOut:
    """A search result."""
    return shapes.SearchOut(
        hits=[hit_out(hit) for hit in result.hits],
        usage=shapes.UsageOut.model_validate(result.usage),
        stop=result.stop,
        degraded=result.degraded,
    )


def hit_out(hit: SearchHit) -> shapes.HitOut:
    """One hit with its path."""
    return shapes.HitOut(
        doc_id=hit.doc_id,
        title=hit.title,
        score=hit.score,
        path=[shapes.PathOut.model_validate(step) for step in hit.path],
        latent=hit.latent,
        raw=list(hit.raw),
        reasons=list(hit.reasons),
    )


def plan_out(report: PlanReport) -> shapes.PlanOut:
    """A plan with its totals and its price."""
    plan = report.plan
    return shapes.PlanOut(
        stages=[shapes.StageOut.model_validate(stage) for stage in plan.stages],
        calls=plan.calls,
        prompt_tokens=plan.prompt_tokens,
        completion_tokens=plan.completion_tokens,
        money=report.money,
    )


def plan_report_out(report: PlanReport) -> shapes.PlanReportOut:
    """What a build would take."""
    return shapes.PlanReportOut(
        documents=report.documents,
        strategy=report.strategy,
        model=report.model,
        plan=plan_out(report),
        problems=problems_out(report.problems),
    )


def problems_out(problems: tuple[Problem, ...]) -> list[shapes.ProblemOut]:
    """What was left out."""
    return [
        shapes.ProblemOut(path=str(each.path), line=each.line, kind=each.kind, message=each.message)
        for each in problems
    ]


def index_out(report: IndexReport) -> shapes.IndexOut:
    """What a build did."""
    probe = report.probe
    return shapes.IndexOut(
        documents=report.documents,
        nodes=report.nodes,
        depth=report.depth,
        generation=report.generation,
        strategy=report.strategy,
        seconds=report.seconds,
        up_to_date=report.up_to_date,
        extractive=report.extractive,
        repairs=dict(report.repairs),
        problems=problems_out(report.problems),
        plan=None if report.plan is None else plan_out(report.plan),
        usage=shapes.UsageOut.model_validate(report.usage),
        probe=None if probe is None else shapes.ProbeOut.model_validate(probe),
        unprobed=report.unprobed,
    )
