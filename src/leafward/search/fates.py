"""What became of documents in a search: the values in which a diagnosis is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fate = Literal["found", "outranked", "passed over", "unscored", "failed", "unfinished", "hidden"]
"""What became of a document:

found: among the k best · outranked: scored, but others stand before it · passed over: a node on
its path waited on the frontier until the search ended · unscored: the judge left it out, asked
twice · failed: the call that would have scored it was lost · unfinished: that call was in flight
when the search ended · hidden: excluded or filtered away.
"""


@dataclass(frozen=True, slots=True)
class Rival:
    """What was preferred to a node of the path, with both sides at that moment.

    On a slate both are raw scores, elsewhere both are path relevances.
    """

    node: int
    value: float
    own: float


@dataclass(frozen=True, slots=True)
class GoldStep:
    """One node of the path, below the root.

    ``judgement`` numbers, from 0 in order of arrival, the one that first scored the node; it gave
    ``score``, which is place ``place`` of ``of`` children on that slate, behind ``better``.
    ``latent`` and ``relevance`` are those at the end; None where the node was never shown.
    ``rank`` of ``among`` is its place by path relevance: of an inner node on the frontier that it
    came upon, of a leaf among all scored leaves at the end. ``expanded`` counts, from 0, the
    expansions before its own; None where it had none.
    """

    node: int
    depth: int
    judgement: int | None = None
    score: float | None = None
    place: int | None = None
    of: int | None = None
    better: tuple[Rival, ...] = ()
    raw: tuple[float, ...] = ()
    latent: float | None = None
    relevance: float | None = None
    rank: int | None = None
    among: int | None = None
    expanded: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GoldPath:
    """What became of one document.

    ``lost_at`` is the node of the path where it was lost, None where it was found or hidden;
    ``depth`` that node's depth. ``rivals`` were preferred there: nodes that were expanded while it
    waited, in order; or leaves that rank before it, best first. At most ten are named,
    ``rival_count`` counts all.
    """

    doc_id: str
    fate: Fate
    rank: int | None
    steps: tuple[GoldStep, ...]
    lost_at: int | None = None
    depth: int | None = None
    rivals: tuple[Rival, ...] = ()
    rival_count: int = 0
