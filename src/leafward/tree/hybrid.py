"""The hybrid build: passages of one source stay together, the model orders the sources (§2.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leafward.tree.coarse import grouped
from leafward.tree.lexicon import Ints
from leafward.tree.pool import Child, Pool
from leafward.tree.topdown import TopDown
from leafward.tree.workshop import Workshop
from leafward.types import Document


async def hybrid(shop: Workshop, pool: Pool, room: int) -> tuple[Child, ...]:
    """Children of the root: the top-down build over one item a source, or run of a long source."""
    groups = source_groups(shop.documents, shop.settings.branching)
    sources = [shop.documents[int(group[0])].source for group in groups]
    items = await grouped(shop, pool, groups, sources)
    return await TopDown(shop).grow(items, room)


def source_groups(documents: Sequence[Document], branching: int) -> list[Ints]:
    """Document numbers by source in order of position, at most M together.

    A longer source is cut into consecutive runs of nearly equal length; a document without a
    source stands alone.
    """
    by_source: dict[str | int, list[int]] = {}
    for number, document in enumerate(documents):
        key = document.source if document.source is not None else number
        by_source.setdefault(key, []).append(number)
    found: list[Ints] = []
    for numbers in by_source.values():
        ordered = np.array(sorted(numbers, key=lambda n: (documents[n].position, n)), np.int64)
        found += np.array_split(ordered, -(-len(ordered) // branching))
    return found


def shares_sources(documents: Sequence[Document]) -> bool:
    """Whether most documents share their source with another one."""
    counts: dict[str, int] = {}
    for document in documents:
        if document.source is not None:
            counts[document.source] = counts.get(document.source, 0) + 1
    shared = sum(count for count in counts.values() if count > 1)
    return shared * 2 > len(documents)
