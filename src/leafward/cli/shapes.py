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
    score: float = Field(description="path relevance; with other methods than tree their own score")
    path: list[PathOut] = Field(description="from the root; empty where no tree was searched")
    latent: float | None = Field(description="calibrated score; null where no tree was searched")
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


class ErrorBody(Shape):
    """What went wrong."""

    kind: str = Field(description="name of the error, such as IndexNotFound")
    message: str
    hint: str = Field(description="what to do about it; may be empty")
    retryable: bool = Field(description="true where trying again can help")
    exit_code: int
    column: int | None = Field(
        description="place, from 1, where an expression or a method is malformed; null where there "
        "is none to be named"
    )


class ErrorOut(Shape):
    """On stderr, from any command with `--json` that fails; stdout then stays empty."""

    error: ErrorBody
