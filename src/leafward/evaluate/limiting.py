"""A part of a collection's queries: always the same one, and part of every larger one."""

from __future__ import annotations

import dataclasses
import random

from leafward.types import Collection

_SEED = 0


def limited(collection: Collection, limit: int | None) -> Collection:
    """The collection with at most ``limit`` of its queries, drawn at random, in their order.

    What is drawn depends on the queries alone, and a larger limit adds to a smaller one, so that
    an evaluation can be widened without asking anything twice. The first queries of a set are no
    fair sample: many sets are sorted by subject.
    """
    if limit is None or limit >= len(collection.queries):
        return collection
    order = list(range(len(collection.queries)))
    random.Random(_SEED).shuffle(order)
    queries = tuple(collection.queries[row] for row in sorted(order[:limit]))
    kept = {query.id for query in queries}
    qrels = {query: judged for query, judged in collection.qrels.items() if query in kept}
    return dataclasses.replace(collection, queries=queries, qrels=qrels)
