"""Rerankers as finders: sliding windows with the tree's own judge, and cross-encoders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leafward.errors import SettingsError
from leafward.evaluate.method import Rerank
from leafward.library.retrieving.found import Finder, Found, Need
from leafward.library.retrieving.scope import Scope
from leafward.library.retrieving.watching import WatchedJudge
from leafward.search.judges.letters import MAX_CANDIDATES
from leafward.search.rerank import reach
from leafward.search.rerank_driver import Reranked, rerank
from leafward.types import Hit, SearchHit


class RerankFinder:
    """Reranks what another finder finds; the judge reads the user's own words.

    A hit's score is 1 / rank: windows order documents and do not measure them.

    Raises:
        SettingsError: the judge has fewer letters than a window has candidates.
    """

    def __init__(self, scope: Scope, inner: Finder, method: Rerank) -> None:
        self._scope = scope
        self._inner = inner
        self._method = method
        self._judge_name = scope.judge_name(method.judge)
        self._top = method.top
        if method.calls is not None:
            self._top = reach(method.calls, window=method.window, carry=method.carry)
        if self._judge_name in ("letters", "fused") and method.window > MAX_CANDIDATES:
            raise SettingsError(
                f"the {self._judge_name} judge has {MAX_CANDIDATES} letters for a window of "
                f"{method.window}",
                hint=f"say window={MAX_CANDIDATES} or less, or take another judge",
            )

    async def find(self, need: Need, *, k: int) -> Found:
        """Rerank the inner finder's best; those beyond ``top`` follow in their order."""
        shortlist = await self._inner.find(need, k=max(k, self._top))
        scope, settings = self._scope, self._scope.settings
        watched = WatchedJudge(scope.opened.judge(self._judge_name, settings))
        nodes = scope.opened.leaves([hit.doc_id for hit in shortlist.hits])
        reranked = await rerank(
            nodes,
            need.query,
            watched,
            window=self._method.window,
            carry=self._method.carry,
            top=self._top,
            reader=scope.opened.reader(settings),
            deadline=need.left,
            stragglers=scope.opened.stragglers,
        )
        return self._found(shortlist, reranked, watched, k)

    def _found(self, shortlist: Found, reranked: Reranked, watched: WatchedJudge, k: int) -> Found:
        tree = self._scope.opened.snapshot.tree
        hits = ranked([tree.doc_id(node) for node in reranked.order])
        reasons = {tree.doc_id(node): reason for node, reason in reranked.reasons.items()}
        return replace(
            shortlist,
            hits=hits[:k],
            total=None,
            judged=shortlist.judged | {tree.doc_id(node) for node in reranked.judged},
            degraded=shortlist.degraded or reranked.degraded,
            stop=reranked.stop if reranked.stop != "exhausted" else shortlist.stop,
            details=_with_reasons(shortlist, reasons),
            failure=shortlist.failure or watched.failure(reranked.stop),
        )


def ranked(doc_ids: Sequence[str]) -> tuple[Hit, ...]:
    """Hits with 1 / rank as scores."""
    return tuple(Hit(doc_id, 1.0 / rank) for rank, doc_id in enumerate(doc_ids, start=1))


def _with_reasons(shortlist: Found, reasons: dict[str, str]) -> dict[str, SearchHit]:
    """What was known of each hit, with the reranker's reason as the last one."""
    details = dict(shortlist.details)
    for doc_id, reason in reasons.items():
        known = details.get(doc_id, SearchHit(doc_id, "", 0.0))
        details[doc_id] = replace(known, reasons=(*known.reasons, reason))
    return details
