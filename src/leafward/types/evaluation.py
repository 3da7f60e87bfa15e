"""What an evaluation is about: a test collection, and what a method did with one of its queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leafward.types.corpus import Document, Query, Ranking

Qrels = Mapping[str, Mapping[str, int]]
"""Relevance by query id and document id; relevant where it is above 0."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A test collection, as in TREC: documents, queries and judgements of one split.

    ``queries`` are those that the split judges, in the order of the source, with their excluded
    ids and the task's definition of relevance. ``documents`` is empty where only rankings are
    evaluated.
    """

    name: str
    split: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    qrels: Qrels


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method did with one query; ``ranking`` is None where our own failure lost it.

    ``seconds`` is wall time. ``error`` names the failure. A query without a ranking is left out of
    the means and counted: our outage is never scored as the method's fault.
    """

    query_id: str
    ranking: Ranking | None
    seconds: float
    error: str = ""
