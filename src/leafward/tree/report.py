"""What a build did, counted while it runs and reported when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from leafward.protocols import Vectors
from leafward.settings import Strategy
from leafward.types import NO_USAGE, Tree, Usage

Stage = Literal["summaries", "clustering", "describing"]
STAGES: tuple[Stage, ...] = ("summaries", "clustering", "describing")

Repair = Literal[
    "asked again",  # documents whose summaries were missing or malformed, and asked once more
    "cut",  # summaries longer than their level
    "forgotten",  # keywords that the model left out of its clusters, and was asked about again
    "placed by embedding",  # those it left out again
    "invented",  # keywords that were not in the prompt
    "repeated",  # keywords in two clusters: the first keeps them
    "empty",  # clusters without a keyword
    "merged",  # clusters above the branching
    "retried",  # splits tried again on a more specific level
    "too deep",  # splits that left too little depth for a child
    "named without model",  # nodes described by key phrases, as no model answer could be used
]


@dataclass(frozen=True, slots=True)
class BuildReport:
    """How a build went.

    ``strategy`` is the one that was used. ``asked`` counts questions by stage, whether the answer
    came from the provider or the cache; ``usage`` counts what was spent on them by stage.
    ``unusable`` answers were replaced as ``repairs`` and ``extractive`` (documents without a
    model's summaries) tell, and so were ``rejected`` prompts; ``salvaged`` answers were read in
    part. ``embedding_splits`` are nodes of a model-driven build that were split by their
    embeddings; ``coarse_passes`` counts the bottom-up passes that made a corpus small enough to be
    read from the top.
    """

    strategy: Strategy
    documents: int
    asked: Mapping[Stage, int]
    usage_by_stage: Mapping[Stage, Usage]
    repairs: Mapping[Repair, int]
    extractive: int
    embedding_splits: int
    coarse_passes: int
    salvaged: int
    unusable: int
    rejected: int

    @property
    def calls(self) -> int:
        """Questions asked, from the provider or the cache."""
        return sum(self.asked.values())

    @property
    def usage(self) -> Usage:
        return sum(self.usage_by_stage.values(), NO_USAGE)


@dataclass(frozen=True, slots=True)
class Build:
    """A finished tree with what it was made from.

    ``summaries`` holds five summaries a document id, broad to specific; those of the ids in
    ``extractive`` are key phrases. ``vectors`` is float32 ``[n, d]`` in the order of the documents.
    """

    tree: Tree
    summaries: Mapping[str, tuple[str, ...]]
    extractive: frozenset[str]
    vectors: Vectors
    report: BuildReport


class Tally:
    """Counts of a running build; additions commute, so that concurrency does not change them."""

    def __init__(self) -> None:
        self.asked: Counter[Stage] = Counter()
        self.usage: dict[Stage, Usage] = dict.fromkeys(STAGES, NO_USAGE)
        self.repairs: Counter[Repair] = Counter()
        self.embedding_splits = 0
        self.coarse_passes = 0
        self.salvaged = 0
        self.unusable = 0
        self.rejected = 0

    def repaired(self, repair: Repair, count: int = 1) -> None:
        if count:
            self.repairs[repair] += count

    def report(self, strategy: Strategy, documents: int, extractive: int) -> BuildReport:
        return BuildReport(
            strategy=strategy,
            documents=documents,
            asked={stage: self.asked[stage] for stage in STAGES},
            usage_by_stage=dict(self.usage),
            repairs=dict(sorted(self.repairs.items())),
            extractive=extractive,
            embedding_splits=self.embedding_splits,
            coarse_passes=self.coarse_passes,
            salvaged=self.salvaged,
            unusable=self.unusable,
            rejected=self.rejected,
        )
