"""From the values of evaluations, experiments and explanations to the shapes that are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.cli import evaluation_shapes as shapes
from leafward.cli.shapes import UsageOut

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leafward.evaluate import Comparison, Estimate
    from leafward.evaluate.experiments.comparing import ExperimentComparison, Paired
    from leafward.evaluate.experiments.results import MethodResult
    from leafward.library.evaluating import Evaluation
    from leafward.library.experimenting import ExperimentReport
    from leafward.library.explaining import Explanation
    from leafward.search.fates import GoldStep, Rival


def eval_out(evaluation: Evaluation) -> shapes.EvalOut:
    """An evaluation."""
    base = evaluation.baseline
    return shapes.EvalOut.model_validate(
        {
            **evaluation.summary.as_json(),
            "absent": evaluation.absent,
            "baseline": None if base is None else base.method,
            "comparisons": [
                comparison_out(name, each) for name, each in evaluation.comparisons.items()
            ],
        }
    )


def estimate_out(estimate: Estimate) -> shapes.EstimateOut:
    """A mean with its interval."""
    interval = estimate.interval
    return shapes.EstimateOut(mean=estimate.mean, interval=[interval.low, interval.high])


def comparison_out(measure: str, comparison: Comparison) -> shapes.ComparisonOut:
    """A comparison on one measure."""
    interval = comparison.interval
    return shapes.ComparisonOut(
        measure=measure,
        difference=comparison.difference,
        interval=[interval.low, interval.high],
        p_value=comparison.p_value,
        p_corrected=comparison.p_corrected,
        wins=comparison.wins,
        ties=comparison.ties,
        losses=comparison.losses,
    )


def experiment_out(report: ExperimentReport) -> shapes.ExperimentOut:
    """What an experiment found."""
    result = report.result
    return shapes.ExperimentOut(
        name=report.spec.name,
        folder=str(report.folder),
        report=str(report.report),
        collection=result.collection.name,
        split=result.collection.split,
        queries=len(result.collection.queries),
        complete=result.complete,
        baseline=result.baseline,
        usage=UsageOut.model_validate(report.usage),
        methods=[
            _method_out(method, result.measure, report.comparisons) for method in result.methods
        ],
    )


def _method_out(
    method: MethodResult, measure: str, comparisons: Mapping[str, Comparison]
) -> shapes.MethodOut:
    found = comparisons.get(method.label)
    return shapes.MethodOut(
        label=method.label,
        method=method.method,
        seeds=list(method.seeds),
        queries=method.queries,
        measures={name: estimate_out(each) for name, each in method.estimates.items()},
        usage=UsageOut.model_validate(method.usage),
        median_seconds=method.median_seconds,
        judged=method.total("judged"),
        degraded=method.total("degraded"),
        failed=method.total("failed"),
        missing=method.total("missing"),
        stopped=method.stopped,
        comparison=None if found is None else comparison_out(measure, found),
    )


def compare_out(comparison: ExperimentComparison) -> shapes.CompareOut:
    """Two experiments side by side."""
    return shapes.CompareOut(
        a=comparison.a,
        b=comparison.b,
        collection=comparison.collection,
        split=comparison.split,
        pairs=[_pair_out(pair) for pair in comparison.pairs],
        only_a=list(comparison.only_a),
        only_b=list(comparison.only_b),
    )


def _pair_out(pair: Paired) -> shapes.PairOut:
    return shapes.PairOut(
        method_a=pair.method_a,
        method_b=pair.method_b,
        a=estimate_out(pair.a),
        b=estimate_out(pair.b),
        comparison=comparison_out(pair.measure, pair.comparison),
    )


def explain_out(explanation: Explanation) -> shapes.ExplainOut:
    """A document's path through a search."""
    path, names = explanation.path, explanation.names
    return shapes.ExplainOut(
        query=explanation.query,
        doc_id=path.doc_id,
        title=names[path.steps[-1].node],
        fate=path.fate,
        rank=path.rank,
        k=explanation.k,
        lost_at=path.lost_at,
        depth=path.depth,
        path=[_step_out(step, names) for step in path.steps],
        rivals=_rivals_out(path.rivals, names),
        rival_count=path.rival_count,
        judgements=explanation.judgements,
        documents=explanation.leaves,
        stop=explanation.stop,
        degraded=explanation.degraded,
        usage=UsageOut.model_validate(explanation.usage),
        reused=explanation.reused,
    )


def _step_out(step: GoldStep, names: Mapping[int, str]) -> shapes.GoldStepOut:
    return shapes.GoldStepOut(
        node=step.node,
        name=names[step.node],
        depth=step.depth,
        judgement=step.judgement,
        score=step.score,
        place=step.place,
        of=step.of,
        better=_rivals_out(step.better, names),
        raw=list(step.raw),
        latent=step.latent,
        relevance=step.relevance,
        rank=step.rank,
        among=step.among,
        expanded=step.expanded,
        reason=step.reason,
    )


def _rivals_out(rivals: Sequence[Rival], names: Mapping[int, str]) -> list[shapes.RivalOut]:
    return [
        shapes.RivalOut(node=each.node, name=names[each.node], value=each.value, own=each.own)
        for each in rivals
    ]
