"""What tree search exchanges: slates out, judgements in, results with their reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from leafward.types.models import NO_USAGE, Usage

StopReason = Literal[
    "exhausted", "expansions", "tokens", "money", "calls", "deadline", "settled", "failures"
]
"""Why a search ended: nothing left to expand, a budget, the adaptive stop, or a judge that failed
several times in a row."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node on a slate; ``reference`` marks one that was scored before and anchors the scale."""

    node: int
    text: str = ""
    reference: bool = False


@dataclass(frozen=True, slots=True)
class Slate:
    """The candidates of one listwise call (LATTICE v2 §2.2, slate construction).

    ``id`` numbers slates in the order in which they were handed out; ``expands`` is the node whose
    children they are. Texts are empty until a driver fills them in: the traversal reads nothing.
    """

    id: int
    expands: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Scores in [0, 1] by node id, with reasons.

    A candidate without a score is unobserved, not zero. ``reasoning`` speaks of the whole slate,
    ``reasons`` of single candidates where the judge gives them.
    """

    scores: Mapping[int, float]
    reasoning: str = ""
    reasons: Mapping[int, str] | None = None
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class Step:
    """One expansion as it happened; ``judgement`` is None where the call failed for good."""

    slate: Slate
    judgement: Judgement | None


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole search, in the order in which judgements arrived; enough to replay it.

    ``key`` identifies what was searched and how, so that the same search finds its own trace.
    """

    query: str
    steps: tuple[Step, ...]
    stop: StopReason
    key: str = ""


@dataclass(frozen=True, slots=True)
class PathStep:
    """A node on the way from the root to a hit; ``latent`` and ``relevance`` are None unscored."""

    node: int
    name: str
    latent: float | None
    relevance: float | None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A document with how it was found.

    ``score`` is the path relevance p, ``latent`` the calibrated score θ, ``raw`` every score that
    the judge gave it, in order; ``reasons`` run from the root's slate down to the leaf's.
    """

    doc_id: str
    title: str
    score: float
    path: tuple[PathStep, ...] = ()
    latent: float | None = None
    raw: tuple[float, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits best first; ``degraded`` is true where some judgement was lost for good."""

    hits: tuple[SearchHit, ...]
    usage: Usage
    stop: StopReason
    degraded: bool
    trace: Trace | None = None

    def __iter__(self) -> Iterator[SearchHit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)
