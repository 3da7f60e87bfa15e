"""Rewards: format → engine → measure → tiers, one class for each table of query-writing §3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from leafward.types import Need, Score
from leafward.writing.outcomes import Executed
from leafward.writing.rewards.parts import (
    RANK_TIERS,
    RECALL_TIERS,
    at_least,
    at_most,
    first_rank,
    ndcg,
    recall,
)
from leafward.writing.rewards.tables import same_result


class Reward(Protocol):
    """What a completion is worth, from what its expression found; pure."""

    @property
    def k(self) -> int:
        """Hits beyond this rank do not count."""

    @property
    def needs_gold(self) -> bool:
        """Whether the need's gold query is executed too, to compare results."""

    def score(
        self, need: Need, found: Executed | None, gold: Executed | None = None
    ) -> Score | None:
        """Score a completion whose format is right.

        Args:
            found: what the engine found, None where it rejected the expression as malformed.
            gold: what the need's gold query found, where :attr:`needs_gold`.

        Returns:
            None where nothing can be said, by our own fault.
        """

    def malformed(self) -> Score:
        """Score a completion whose format is wrong: that, and nothing else."""


@dataclass(frozen=True, slots=True)
class _Format:
    """Parts of a reward that are the same for every completion."""

    right: float
    wrong: float

    def malformed(self) -> Score:
        return Score(self.wrong, self.wrong)

    def scored(self, answer: float, measure: float | None) -> Score:
        return Score(self.right + answer, self.right, answer, measure)

    def rejected(self) -> Score:
        """A malformed expression in a right format: as bad an answer as a wrong format."""
        return self.scored(self.wrong, None)


_TIERED = _Format(1.0, -4.0)
_CLASSIC = _Format(0.1, -2.0)
_SQL = _Format(0.0, -1.0)


@dataclass(frozen=True, slots=True)
class Literature:
    """Literature search: recall among the first ``k`` in tiers, format +1 or −4."""

    k: int = 3000
    needs_gold: ClassVar[bool] = False

    def score(self, need: Need, found: Executed | None, gold: Executed | None = None) -> Score:
        """Score by recall; a rejected expression has the answer part −4."""
        if found is None:
            return _TIERED.rejected()
        share = recall(found.ids, need.relevant, self.k)
        return _TIERED.scored(at_least(share, RECALL_TIERS), share)

    def malformed(self) -> Score:
        """−4."""
        return _TIERED.malformed()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence seeking: rank of the first passage that holds an answer, format as in literature
    search. The relevant ids of a need are those of all passages that hold one."""

    k: int = 3000
    needs_gold: ClassVar[bool] = False

    def score(self, need: Need, found: Executed | None, gold: Executed | None = None) -> Score:
        """Score by rank; the measure is its reciprocal, 0 where no passage was found."""
        if found is None:
            return _TIERED.rejected()
        rank = first_rank(found.ids, need.relevant, self.k)
        return _TIERED.scored(at_most(rank, RANK_TIERS), 1 / rank if rank else 0.0)

    def malformed(self) -> Score:
        """−4."""
        return _TIERED.malformed()


@dataclass(frozen=True, slots=True)
class Classic:
    """Classic retrieval: nDCG (or recall) at ``k`` itself, format +0.1 or −2.

    An answer of 0 scores 0 in all. A rejected expression, which free text never is, has the answer
    part −2, as −4 is for the tiers.
    """

    k: int = 10
    measure: Literal["ndcg", "recall"] = "ndcg"
    needs_gold: ClassVar[bool] = False

    def score(self, need: Need, found: Executed | None, gold: Executed | None = None) -> Score:
        """Score by the measure itself."""
        if found is None:
            return _CLASSIC.rejected()
        if self.measure == "ndcg":
            value = ndcg(found.ids, need.relevant, self.k)
        else:
            value = recall(found.ids, need.relevant, self.k)
        return _CLASSIC.scored(value, value) if value else Score(0.0, 0.0, 0.0, 0.0)

    def malformed(self) -> Score:
        """−2."""
        return _CLASSIC.malformed()


@dataclass(frozen=True, slots=True)
class SqlMatch:
    """SQL: 1 where the result equals the gold result as a multiset, in order where gold orders.

    ``runs`` is what a query that merely runs is worth (BIRD: 0.3). A right format adds nothing, so
    that a gold query scores 1; a wrong one is −1, below every query. A result that our row limit
    cut off equals no whole one; where gold itself was cut off nothing can be said.
    """

    runs: float = 0.0
    k: int = 0
    needs_gold: ClassVar[bool] = True

    def score(
        self, need: Need, found: Executed | None, gold: Executed | None = None
    ) -> Score | None:
        """Score by execution."""
        if gold is None or gold.table is None or gold.table.truncated:
            return None
        if found is None or found.table is None:
            return _SQL.scored(0.0, None)
        same = not found.table.truncated and same_result(found.table, gold.table)
        return _SQL.scored(1.0 if same else self.runs, float(same))

    def malformed(self) -> Score:
        """−1."""
        return _SQL.malformed()
