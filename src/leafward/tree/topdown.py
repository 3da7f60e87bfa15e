"""The top-down build: the model partitions each node, the embeddings where it cannot (§2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from leafward.concurrency import map_drained
from leafward.tree.coarse import coarsen
from leafward.tree.partition import Part, Partitioner
from leafward.tree.pool import Child, Pool, join
from leafward.tree.sizes import levels_for
from leafward.tree.workshop import Workshop


class TopDown:
    """Grows a hierarchy over the items of a pool.

    ``room`` is the number of edges that may lie between a node and its leaves. Every split keeps
    ``len(part) <= M ** (room - 1 - height)``, so that embedding splits can always finish: the
    depth limit holds whatever the model answers.
    """

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._branching = shop.settings.branching
        self._partitioner = Partitioner(shop.asker, shop.settings, shop.tally)

    async def grow(self, pool: Pool, room: int) -> tuple[Child, ...]:
        """Children of a node over these items, at most M."""
        if len(pool) <= self._branching:
            self._shop.progress.advance("clustering", sum(pool.weights))
            return pool.children
        choice = self._partitioner.levels(pool)
        if choice.crowded:
            return await self.grow(await coarsen(self._shop, pool, room), room)
        parts = await self._by_model(pool, choice.levels, room)
        if parts is None:
            parts = await self._by_embedding(pool, room)
        return await self._children(pool, parts, room)

    async def _children(self, pool: Pool, parts: Sequence[Part], room: int) -> tuple[Child, ...]:
        async def child(part: Part) -> Child:
            below = await self.grow(pool.take(part.items), room - 1)
            return join(part.name, part.description, below)

        return tuple(await map_drained(child, parts, limit=len(parts)))

    async def _by_model(self, pool: Pool, levels: Sequence[int], room: int) -> list[Part] | None:
        """The model's partition on the first level on which it makes a split worth the name."""
        for number, level in enumerate(levels):
            if number:
                self._shop.tally.repaired("retried")
            parts = await self._partitioner.partition(pool, level)
            if parts is not None and self._splits(pool, parts, room):
                return await self._named(pool, parts)
        return None

    def _splits(self, pool: Pool, parts: Sequence[Part], room: int) -> bool:
        """Whether no part holds nearly everything, or more than the depth that is left can hold."""
        weights = pool.weights
        heaviest = max(sum(weights[i] for i in part.items.tolist()) for part in parts)
        if len(parts) < 2 or heaviest > self._shop.settings.max_share * sum(weights):
            return False
        largest = max(len(part.items) for part in parts)
        if levels_for(largest, self._branching) + pool.height > room - 1:
            self._shop.tally.repaired("too deep")
            return False
        return True

    async def _named(self, pool: Pool, parts: Sequence[Part]) -> list[Part]:
        """The parts with names and descriptions where the model gave none."""
        signs = self._shop.describer.complete(
            [(part.name, part.description) for part in parts], pool, [p.items for p in parts]
        )
        return [Part(*sign, part.items) for sign, part in zip(signs, parts, strict=True)]

    async def _by_embedding(self, pool: Pool, room: int) -> list[Part]:
        """A balanced split by embedding, described by the model."""
        self._shop.tally.embedding_splits += 1
        groups = self._shop.splitter.split(pool.vectors, room - pool.height)
        signs = await self._shop.describer.describe(pool, groups)
        return [Part(*sign, group) for sign, group in zip(signs, groups, strict=True)]
