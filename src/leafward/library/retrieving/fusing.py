"""Several finders as one: weighted min-max fusion and reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leafward.concurrency import map_drained
from leafward.library.retrieving.found import Finder, Found, Need, together
from leafward.search.fusion import adapted, reciprocal_rank, weighted
from leafward.types import Hit

Fuse = Callable[[Sequence[Sequence[Hit]]], tuple[Hit, ...]]

ADAPTIVE_POWER = 1.0
"""How strongly adaptive weights follow how peaked a source is; chosen on train and dev queries
(benchmarks/fusion_weights.py)."""


class FusedFinder:
    """Asks every finder for its best ``depth`` at once and fuses what they find."""

    def __init__(self, finders: Sequence[Finder], fuse: Fuse, *, depth: int) -> None:
        self._finders = tuple(finders)
        self._fuse = fuse
        self._depth = depth

    async def find(self, need: Need, *, k: int) -> Found:
        """Raises what the first finder to fail raises, after the others have ended."""
        depth = max(self._depth, k)

        async def one(finder: Finder) -> Found:
            return await finder.find(need, k=depth)

        parts = tuple(await map_drained(one, self._finders, limit=len(self._finders)))
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
