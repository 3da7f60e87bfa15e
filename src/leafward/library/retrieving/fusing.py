"""Several finders as one: weighted min-max fusion and reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leafward.concurrency import map_drained
from leafward.library.retrieving.found import Finder, Found, Group, Need, together
from leafward.search.fusion import adapted, reciprocal_rank, weighted
from leafward.types import Hit

Fuse = Callable[[Sequence[Sequence[Hit]]], tuple[Hit, ...]]

ADAPTIVE_POWER = 4.0
"""How strongly adaptive weights follow how peaked a source is: the best of six on train and dev
queries of three sets, and the highest that was tried (benchmarks/fusion_weights.py)."""


class Together:
    """Finders that are asked the same."""

    def __init__(self, finders: Sequence[Finder]) -> None:
        self._finders = tuple(finders)

    async def find_each(self, need: Need, *, k: int) -> tuple[Found, ...]:
        """Raises what the first finder to fail raises, after the others have ended."""

        async def one(finder: Finder) -> Found:
            return await finder.find(need, k=k)

        return tuple(await map_drained(one, self._finders, limit=len(self._finders)))


class FusedFinder:
    """Asks all finders of all groups for their best ``depth`` and fuses what they find."""

    def __init__(self, groups: Sequence[Group], fuse: Fuse, *, depth: int) -> None:
        self._groups = tuple(groups)
        self._fuse = fuse
        self._depth = depth

    async def find(self, need: Need, *, k: int) -> Found:
        """Raises what the first group to fail raises, after the others have ended."""
        depth = max(self._depth, k)

        async def each(group: Group) -> tuple[Found, ...]:
            return await group.find_each(need, k=depth)

        grouped = await map_drained(each, self._groups, limit=len(self._groups))
        parts = tuple(part for group in grouped for part in group)
        return together(parts, self._fuse([part.hits for part in parts])[:k])


def by_weights(weights: Sequence[float], *, adaptive: bool) -> Fuse:
    """Min-max fusion with fixed weights, or with weights that follow each source's peakedness."""

    def fuse(sources: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
        chosen = adapted(sources, weights, power=ADAPTIVE_POWER) if adaptive else weights
        return weighted(sources, chosen)

    return fuse


def by_ranks(c: int) -> Fuse:
    """Reciprocal rank fusion."""
    return lambda sources: reciprocal_rank(sources, c=c)
