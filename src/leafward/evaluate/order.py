"""The order in which a ranking is scored: that of trec_eval, ties included."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from leafward.errors import LeafwardError
from leafward.types import Ranking

Run = Mapping[str, Mapping[str, float]]
"""Scores by query id and document id, as a TREC run file holds them."""


def trec_order(query_id: str, ranked: Ranking | Mapping[str, float]) -> list[str]:
    """Document ids as trec_eval orders them: by score, equal scores by id, both downwards.

    trec_eval keeps scores in single precision, so what is equal there is a tie. It looks at neither
    the rank column of a run nor the order of its lines. Scoring in this order makes our figures
    those of every tool that reads the run file (BEIR's and BRIGHT's evaluations among them), and no
    method gains by how it happens to break ties.

    Raises:
        LeafwardError: a score is no finite number, or a document is ranked twice.
    """
    ids, scores = _columns(ranked)
    if not np.isfinite(scores).all():
        raise _unusable(query_id, "a score that is no finite number")
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    if len(set(ids)) < len(ids):
        raise _unusable(query_id, "a document twice")
    if bool(np.all(single[1:] < single[:-1])):
        return ids
    order = sorted(zip(single.tolist(), ids, strict=True), reverse=True)
    return [doc_id for _, doc_id in order]


def allowed(ordered: list[str], excluded: Collection[str]) -> list[str]:
    """The order without what the query excludes, which moves the rest up (as BRIGHT does)."""
    return [doc_id for doc_id in ordered if doc_id not in excluded] if excluded else ordered


def _columns(ranked: Ranking | Mapping[str, float]) -> tuple[list[str], np.ndarray]:
    if isinstance(ranked, Ranking):
        ids = [hit.doc_id for hit in ranked.hits]
        return ids, np.array([hit.score for hit in ranked.hits], dtype=np.float64)
    return list(ranked), np.array(list(ranked.values()), dtype=np.float64)


def _unusable(query_id: str, what: str) -> LeafwardError:
    return LeafwardError(
        f"the ranking of query {query_id!r} holds {what}",
        hint="correct the retriever or the run that made it; such a ranking cannot be scored",
    )
