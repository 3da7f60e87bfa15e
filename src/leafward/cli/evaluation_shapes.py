"""The JSON that eval, experiment and explain print; kept as :mod:`leafward.cli.shapes` is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from leafward.cli.shapes import Shape, UsageOut


class EstimateOut(Shape):
    """A mean over queries."""

    mean: float
    interval: list[float] = Field(description="both ends of the 95 % bootstrap interval")


class ComparisonOut(Shape):
    """A method against a baseline, query by query, on the queries that both have."""

    measure: str
    difference: float = Field(description="mean over queries, method minus baseline")
    interval: list[float] = Field(description="both ends of the 95 % bootstrap interval")
    p_value: float = Field(description="of the paired randomisation test, two-sided")
    p_corrected: float = Field(description="after Holm's correction for the methods compared")
    wins: int = Field(description="queries on which the method is better")
    ties: int
    losses: int


class EvalOut(Shape):
    """`leafward eval --json`."""

    method: str = Field(description="in canonical form")
    collection: str
    split: str
    queries: int = Field(description="queries with a ranking; means are over them")
    measures: dict[str, EstimateOut] = Field(description="by ir-measures name")
    confidence: float = Field(description="of the intervals")
    usage: UsageOut
    seconds: float = Field(description="wall time of all queries added up")
    median_seconds: float = Field(description="of one query")
    judged: int = Field(description="documents that a judge has read, over all queries")
    degraded: int = Field(description="rankings that are worse for a call that was lost for good")
    failed: int = Field(description="queries without a ranking, lost to failures of ours")
    missing: int = Field(description="queries that were never finished")
    absent: int = Field(description="relevant documents that the index does not hold")
    seed: int
    baseline: str | None = Field(description="method that it is compared with; null without one")
    comparisons: list[ComparisonOut] = Field(description="one for each measure")


class MethodOut(Shape):
    """A method of an experiment, over all of its seeds."""

    label: str
    method: str = Field(description="in canonical form")
    seeds: list[int]
    queries: int = Field(description="queries with a ranking from at least one seed")
    measures: dict[str, EstimateOut] = Field(description="by ir-measures name")
    usage: UsageOut = Field(description="over all seeds and all runs of the experiment")
    median_seconds: float
    judged: int
    degraded: int
    failed: int
    missing: int
    stopped: str = Field(description="why it ended before all queries were asked; else empty")
    comparison: ComparisonOut | None = Field(description="with the baseline; null without one")


class ExperimentOut(Shape):
    """`leafward experiment run --json`."""

    name: str
    folder: str = Field(description="where runs, tables, figures and report are")
    report: str
    collection: str
    split: str
    queries: int
    complete: bool = Field(description="true where every method has asked every query")
    baseline: str | None
    usage: UsageOut = Field(description="of this run of the experiment")
    methods: list[MethodOut]


class PairOut(Shape):
    """A method of one experiment against one of another, on the queries that both have."""

    method_a: str
    method_b: str
    a: EstimateOut
    b: EstimateOut
    comparison: ComparisonOut = Field(description="B minus A")


class CompareOut(Shape):
    """`leafward experiment compare --json`."""

    a: str
    b: str
    collection: str
    split: str
    pairs: list[PairOut]
    only_a: list[str] = Field(description="methods that are compared with nothing")
    only_b: list[str] = Field(description="methods that are compared with nothing")


class RivalOut(Shape):
    """What was preferred to a node of the path."""

    node: int
    name: str
    value: float = Field(description="its score or path relevance")
    own: float = Field(description="that of the path's node, at the same moment")


class GoldStepOut(Shape):
    """One node on the path to the document."""

    node: int
    name: str
    depth: int = Field(description="nodes below the root; the root has 0")
    judgement: int | None = Field(description="number, from 0, of the judgement that scored it")
    score: float | None = Field(description="raw score there; null where it was never scored")
    place: int | None = Field(description="its place among the children on that slate")
    of: int | None = Field(description="children that were scored there")
    better: list[RivalOut] = Field(description="children with a higher raw score, best first")
    raw: list[float] = Field(description="every score that the judge gave it, in order")
    latent: float | None = Field(description="calibrated score at the end")
    relevance: float | None = Field(description="path relevance at the end")
    rank: int | None = Field(
        description="place by path relevance: of a node on the frontier that it came upon, of the "
        "document among all scored documents at the end"
    )
    among: int | None = Field(description="how many it was ranked among")
    expanded: int | None = Field(description="expansions before its own; null where it had none")
    reason: str


class ExplainOut(Shape):
    """`leafward explain --json`."""

    query: str
    doc_id: str
    title: str
    fate: Literal["found", "outranked", "passed over", "unscored", "failed", "unfinished", "hidden"]
    rank: int | None = Field(description="of the document; null where it was not scored")
    k: int = Field(description="so many of the best count as found")
    lost_at: int | None = Field(description="node where it was lost; null where it was not")
    depth: int | None = Field(description="depth of that node")
    path: list[GoldStepOut] = Field(description="from below the root down to the document")
    rivals: list[RivalOut] = Field(
        description="what was preferred where it was lost: nodes expanded while its own waited, or "
        "documents ranked before it; ten at most"
    )
    rival_count: int = Field(description="all of them")
    judgements: int = Field(description="slates that were judged")
    documents: int = Field(description="documents that were scored")
    stop: str
    degraded: bool
    usage: UsageOut
    reused: bool = Field(description="true where an earlier search was looked at again")
