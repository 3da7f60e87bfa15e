"""One bottom-up pass: groups of at most M items, described, become the items of a new pool."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from leafward.tree.levels import LEVELS
from leafward.tree.lexicon import Ints
from leafward.tree.pool import Child, Pool, join
from leafward.tree.signposts import Signpost
from leafward.tree.summaries import Five, Passage
from leafward.tree.text import cut_words
from leafward.tree.workshop import Workshop

PASSAGE_MEMBERS = 8


async def coarsen(shop: Workshop, pool: Pool, room: int) -> Pool:
    """Make a pool that is too large to read small enough to (tree-search §2.4).

    The groups are at most ``M ** (room - height - 1)``, so that a tree over them still fits.
    """
    shop.tally.coarse_passes += 1
    most = shop.settings.branching ** (room - pool.height - 1)
    groups = await asyncio.to_thread(shop.splitter.groups, pool.vectors, most)
    return await grouped(shop, pool, groups, [None] * len(groups))


async def grouped(
    shop: Workshop, pool: Pool, groups: Sequence[Ints], sources: Sequence[str | None]
) -> Pool:
    """The groups as items: described by the model, and summarised like passages.

    A group of one item stays that item.
    """
    real = [number for number, group in enumerate(groups) if len(group) > 1]
    signs = await shop.describer.describe(
        pool, [groups[i] for i in real], [sources[i] for i in real]
    )
    passages = [_passage(pool, groups[i], sign) for i, sign in zip(real, signs, strict=True)]
    fives = await shop.summariser.summarise(passages)
    made = dict(zip(real, zip(signs, fives, strict=True), strict=True))
    return _pool(pool, groups, made)


def _passage(pool: Pool, group: Ints, sign: Signpost) -> Passage:
    """What the summariser reads of a group: its signpost and some of its members."""
    chosen = group[:: max(1, len(group) // PASSAGE_MEMBERS)].tolist()
    members = "; ".join(pool.summaries[i][-1] for i in chosen[:PASSAGE_MEMBERS])
    return Passage(sign[0], f"{sign[1]} Members: {members}")


def _pool(
    pool: Pool, groups: Sequence[Ints], made: dict[int, tuple[Signpost, Five | None]]
) -> Pool:
    children: list[Child] = []
    signs: list[str] = []
    summaries: list[Five] = []
    for number, group in enumerate(groups):
        if number not in made:
            item = int(group[0])
            children.append(pool.children[item])
            signs.append(pool.signs[item])
            summaries.append(pool.summaries[item])
            continue
        (name, description), five = made[number]
        children.append(join(name, description, [pool.children[i] for i in group.tolist()]))
        signs.append(f"{name}: {description}")
        summaries.append(five or _levels_of(name, description))
    return Pool(
        tuple(children),
        tuple(signs),
        tuple(summaries),
        tuple(pool.under(groups)),
        pool.centroids(groups),
        pool.height + (1 if made else 0),
    )


def _levels_of(name: str, description: str) -> Five:
    """Five levels from a signpost alone."""
    return tuple(cut_words(name if most < 10 else description, most) for _, most in LEVELS)
