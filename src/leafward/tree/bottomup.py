"""The bottom-up build: group by embedding, describe, embed the descriptions, repeat (§2.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from leafward.protocols import Vectors
from leafward.tree.lexicon import Ints
from leafward.tree.pool import Child, Pool, join
from leafward.tree.workshop import Workshop


async def bottom_up(shop: Workshop, pool: Pool, room: int) -> tuple[Child, ...]:
    """Children of the root: at most M groups of groups, at most ``room`` edges above the leaves."""
    branching = shop.settings.branching
    while len(pool) > branching:
        most = branching ** (room - pool.height - 1)
        groups = await asyncio.to_thread(shop.splitter.groups, pool.vectors, most)
        pool = await _described(shop, pool, groups)
        shop.progress.advance("clustering", 1)
    return pool.children


async def _described(shop: Workshop, pool: Pool, groups: Sequence[Ints]) -> Pool:
    """The groups as items of the next level; a group of one item stays that item."""
    real = [group for group in groups if len(group) > 1]
    single = [int(group[0]) for group in groups if len(group) == 1]
    signs = await shop.describer.describe(pool, real)
    texts = [f"{name}\n{description}" for name, description in signs]
    vectors: Vectors = await asyncio.to_thread(shop.embedder.embed, texts, role="document")
    kept = pool.take(np.array(single, np.int64))
    made = [
        join(name, description, [pool.children[i] for i in group.tolist()])
        for (name, description), group in zip(signs, real, strict=True)
    ]
    return Pool(
        (*made, *kept.children),
        (*(f"{name}: {description}" for name, description in signs), *kept.signs),
        (*(() for _ in made), *kept.summaries),
        (*pool.under(real), *kept.members),
        np.concatenate((vectors, kept.vectors)),
        pool.height + 1,
    )
