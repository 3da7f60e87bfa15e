"""The JSON that commands print. A field is never renamed or removed within a major version."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """Base of every shape: built from our own dataclasses, closed, immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)


class UsageOut(Shape):
    """What model calls cost."""

    calls: int = Field(description="requests that were answered and may be billed")
    prompt_tokens: int
    cached_tokens: int = Field(description="prompt tokens read from the provider's own cache")
    completion_tokens: int
    money: float | None = Field(description="US dollars; null where a price is unknown")
    cache_hits: int = Field(description="answers from the index's own cache, which cost nothing")
    saved_tokens: int = Field(description="tokens that those answers took when they were paid")
    saved_money: float | None = Field(
        description="dollars that those answers cost when they were paid; null where unknown"
    )


class StageOut(Shape):
    """One stage of a planned build."""

    name: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


class PlanOut(Shape):
    """What a build is expected to take."""

    stages: list[StageOut]
    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None = Field(description="US dollars; null where a price is unknown")


class ProblemOut(Shape):
    """Something that could not be read and was left out."""

    path: str
    line: int | None = Field(description="from 1; null where it concerns a whole file")
    kind: str = Field(
        description="duplicate-id, empty-text, broken-line, undecodable, unreadable or unsupported"
    )
    message: str


class ProbeOut(Shape):
    """How well the finished tree leads to its own documents (routing probe)."""

    documents: int = Field(description="documents that were sampled")
    reached: float = Field(description="share whose leaf was scored within the search budget")
    first: list[float] = Field(
        description="by depth: share of slates on which the true child had the best score"
    )
    calls: int
    failed: int = Field(description="documents that could not be judged; they count in no share")
    usage: UsageOut


class IndexOut(Shape):
    """`leafward index --json`."""

    documents: int
    nodes: int
    depth: int
    generation: int = Field(description="number of the build that is now current")
    strategy: str
    seconds: float
    up_to_date: bool = Field(description="true where nothing had changed and nothing was built")
    extractive: int = Field(description="documents whose summaries no model wrote")
    repairs: dict[str, int] = Field(description="what the build had to repair, by kind")
    problems: list[ProblemOut]
    plan: PlanOut | None = Field(description="null where nothing was built")
    usage: UsageOut
    probe: ProbeOut | None = Field(description="null where the probe was not run")
    unprobed: str = Field(description="why there is no probe although one was wanted; else empty")


class PlanReportOut(Shape):
    """`leafward plan --json`."""

    documents: int
    strategy: str
    model: str | None = Field(description="null where none is configured")
    plan: PlanOut
    problems: list[ProblemOut]


class PathOut(Shape):
    """A node on the way from the root to a hit."""

    node: int
    name: str
    latent: float | None = Field(description="calibrated score; null where it was not scored")
    relevance: float | None = Field(description="path relevance; null where it was not scored")


class HitOut(Shape):
    """A document that was found."""

    doc_id: str
    title: str
    score: float = Field(description="path relevance; with bm25 and dense the engine's score")
    path: list[PathOut] = Field(description="from the root; empty with bm25 and dense")
    latent: float | None = Field(description="calibrated score; null with bm25 and dense")
    raw: list[float] = Field(description="every score that the judge gave it, in order")
    reasons: list[str] = Field(description="from the root's slate down to the leaf's")


class SearchOut(Shape):
    """`leafward search --json`."""

    hits: list[HitOut] = Field(description="best first")
    usage: UsageOut
    stop: str = Field(
        description="exhausted, expansions, tokens, money, calls, deadline, settled or failures"
    )
    degraded: bool = Field(description="true where some judgement was lost for good")


class NodeOut(Shape):
    """`leafward tree --json`: a node with its children, or a leaf."""

    kind: Literal["node", "leaf"]
    node: int
    name: str = Field(description="a leaf's title, or its id where it has none")
    description: str
    leaves: int = Field(description="documents below it; 1 for a leaf")
    doc_id: str | None = Field(description="of a leaf; null for a node")
    hidden: int = Field(description="children not listed because of --depth")
    children: list[NodeOut]


class DocumentOut(Shape):
    """`leafward show --json`."""

    doc_id: str
    title: str
    text: str
    metadata: dict[str, str | int | float | bool | list[str] | None]
    path: list[str] = Field(description="names of the nodes from the root down")
    summaries: list[str] = Field(description="from broad to specific; empty strings where none is")


class VerifyProblemOut(Shape):
    """Something wrong with an index."""

    what: str
    repair: str = Field(description="what to do about it")


class VerifyOut(Shape):
    """`leafward verify --json`."""

    ok: bool
    problems: list[VerifyProblemOut]


class CheckOut(Shape):
    """One check of `doctor`."""

    name: str
    ok: bool
    detail: str
    hint: str = Field(description="how to get what is missing; may be empty")


class DoctorOut(Shape):
    """`leafward doctor --json`."""

    ok: bool = Field(description="true where every check is")
    checks: list[CheckOut]


class ModelOut(Shape):
    """A model that installs from the package index."""

    name: str
    kind: Literal["chat", "embedding"]
    summary: str
    licence: str
    bytes: int
    path: str | None = Field(description="folder of its files; null where it is not pulled")


class ModelsOut(Shape):
    """`leafward models list --json`; and of `pull` and `path` with the models that were named."""

    models: list[ModelOut]


class CallsOut(Shape):
    """Stored answers of one model to one kind of prompt."""

    model: str
    kind: str
    answers: int
    usage: UsageOut


class CacheOut(Shape):
    """`leafward cache stats --json`."""

    answers: int
    calls: list[CallsOut]


class ClearedOut(Shape):
    """`leafward cache clear --json`."""

    cleared: int


class DemoAnswerOut(Shape):
    """One question of the demo."""

    question: str
    hits: list[HitOut]
    usage: UsageOut
    stop: str
    degraded: bool


class DemoOut(Shape):
    """`leafward demo --json`."""

    index: str = Field(description="folder of the index")
    kept: bool = Field(description="false where the folder was temporary and is gone")
    embedder: str
    documents: int
    nodes: int
    depth: int
    answers: list[DemoAnswerOut]


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


class ErrorBody(Shape):
    """What went wrong."""

    kind: str = Field(description="name of the error, such as IndexNotFound")
    message: str
    hint: str = Field(description="what to do about it; may be empty")
    retryable: bool = Field(description="true where trying again can help")
    exit_code: int


class ErrorOut(Shape):
    """On stderr, from any command with `--json` that fails; stdout then stays empty."""

    error: ErrorBody
