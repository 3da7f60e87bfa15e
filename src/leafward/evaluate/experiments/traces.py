"""What the traces of a tree search tell: gone through once, judgement by judgement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from leafward.evaluate.experiments.agreement import Agreement, agreement
from leafward.evaluate.experiments.results import MethodResult, Run
from leafward.evaluate.experiments.values import full_tokens
from leafward.search.fates import GoldPath
from leafward.search.lost import gold_paths
from leafward.search.replaying import Replay
from leafward.types import Collection, Hit, Query, Step

FOUND_WITHIN = 10
"""A document counts as found among this many."""

_LOOKS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 35, 40)


@dataclass(frozen=True, slots=True)
class Study:
    """One search: ``hits`` and cumulative ``tokens`` after so many judgements, by that number.

    ``paths`` are those of the documents judged relevant, ``absent`` counts those that the index
    does not hold. ``agreement`` is None where the search did not calibrate.
    """

    query_id: str
    hits: Mapping[int, tuple[Hit, ...]]
    tokens: Mapping[int, int]
    paths: tuple[GoldPath, ...]
    absent: int
    agreement: Agreement | None


def studies(method: MethodResult, collection: Collection) -> tuple[tuple[Study, ...], ...]:
    """A study for each query with a trace, by seed; empty where the method is no tree search."""
    queries = {query.id: query for query in collection.queries}
    return tuple(
        tuple(_studied(run, queries, collection)) for run in method.runs if run.view is not None
    )


def looks(most: int) -> tuple[int, ...]:
    """After how many judgements to look, the last of ``most`` included: ever further apart."""
    early = [look for look in _LOOKS if look < most]
    late = [int(look) for look in np.geomspace(50, 2000, 20) if look < most]
    return (*early, *late, most) if most else ()


def _studied(run: Run, queries: Mapping[str, Query], collection: Collection) -> Iterator[Study]:
    for outcome in run.outcomes:
        ranking = outcome.ranking
        if ranking is None or ranking.trace is None or run.view is None:
            continue
        query = queries[outcome.query_id]
        replay = run.view.replay(query, ranking.trace)
        relevant = [
            doc_id
            for doc_id, grade in collection.qrels.get(query.id, {}).items()
            if grade > 0 and doc_id not in query.excluded_ids
        ]
        yield _study(query, replay, relevant, len(ranking.trace.steps))


def _study(query: Query, replay: Replay, relevant: Sequence[str], most: int) -> Study:
    wanted = looks(most)
    hits: dict[int, tuple[Hit, ...]] = {}
    for entered in replay:
        # Lock-step enters several at once: what it passes over had no state of its own.
        for look in wanted:
            if look <= entered and look not in hits:
                hits[look] = _hits(replay) if look == entered else _latest(hits)
    traversal = replay.traversal
    spent = list(accumulate((_tokens(step) for step in traversal.steps), initial=0))
    held = set(traversal.tree.leaves) & set(relevant)
    return Study(
        query.id,
        hits,
        {look: spent[look] for look in hits},
        gold_paths(replay, [doc for doc in relevant if doc in held], k=FOUND_WITHIN),
        len(relevant) - len(held),
        agreement(traversal, held) if traversal.settings.calibrate else None,
    )


def _hits(replay: Replay) -> tuple[Hit, ...]:
    traversal = replay.traversal
    return tuple(
        Hit(traversal.tree.doc_id(leaf), traversal.book.path_relevance(leaf))
        for leaf in traversal.leaves()[: traversal.k]
    )


def _latest(hits: Mapping[int, tuple[Hit, ...]]) -> tuple[Hit, ...]:
    return hits[max(hits)] if hits else ()


def _tokens(step: Step) -> int:
    return 0 if step.judgement is None else full_tokens(step.judgement.usage)
