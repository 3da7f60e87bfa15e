"""Rerankers as finders: sliding windows with the tree's own judge, and cross-encoders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leafward.errors import SettingsError
from leafward.evaluate.method import CrossEncoder, Rerank
from leafward.library.judging import screened_to
from leafward.library.retrieving.found import Finder, Found, Need
from leafward.library.retrieving.scope import Scope
from leafward.library.retrieving.watching import WatchedJudge
from leafward.models.cross_encoder import CrossEncoderModel
from leafward.protocols import Judge
from leafward.search.judges.cross_encoder import CrossEncoderJudge
from leafward.search.judges.letters import MAX_CANDIDATES
from leafward.search.rerank import reach
from leafward.search.rerank_driver import Reranked, rerank
from leafward.types import Hit, SearchHit


@dataclass(frozen=True, slots=True)
class Windows:
    """How a shortlist is read: see :class:`leafward.search.rerank.SlidingWindows`."""

    window: int
    carry: int
    top: int


class RerankFinder:
    """Reranks what another finder finds; the judge reads the user's own words.

    A hit's score is 1 / rank: windows order documents and do not measure them. Those beyond ``top``
    follow in the order in which they were found.
    """

    def __init__(self, scope: Scope, inner: Finder, judge: Judge, windows: Windows) -> None:
        self._scope = scope
        self._inner = inner
        self._judge = judge
        self._windows = windows

    async def find(self, need: Need, *, k: int) -> Found:
        """Find a shortlist of ``top`` or ``k``, whichever is more, and rerank it."""
        windows, opened = self._windows, self._scope.opened
        shortlist = await self._inner.find(need, k=max(k, windows.top))
        watched = WatchedJudge(self._judge)
        reranked = await rerank(
            opened.leaves([hit.doc_id for hit in shortlist.hits]),
            need.query,
            watched,
            window=windows.window,
            carry=windows.carry,
            top=windows.top,
            reader=opened.reader(self._scope.settings),
            deadline=need.left,
            stragglers=opened.stragglers,
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


def sliding(method: Rerank, inner: Finder, scope: Scope) -> Finder:
    """Sliding windows read by the judge of tree search.

    Raises:
        SettingsError: the judge has fewer letters than a window has candidates, or no model.
    """
    name = scope.judge_name(method.judge)
    read = min(method.window, screened_to(name, scope.settings) or method.window)
    if name in ("letters", "fused") and read > MAX_CANDIDATES:
        raise SettingsError(
            f"the {name} judge has {MAX_CANDIDATES} letters for {read} candidates of a window",
            hint=f"say window={MAX_CANDIDATES} or less, or take another judge",
        )
    top = method.top
    if method.calls is not None:
        top = reach(method.calls, window=method.window, carry=method.carry)
    windows = Windows(method.window, method.carry, top)
    return RerankFinder(scope, inner, scope.opened.judge(name, scope.settings), windows)


def cross_encoded(method: CrossEncoder, inner: Finder, scope: Scope) -> Finder:
    """A cross-encoder over one window that holds the whole shortlist.

    Raises:
        MissingExtra: its packages are not installed.
    """
    offline = scope.opened.session.settings.offline
    model = CrossEncoderModel(method.model, offline=offline)
    judge = CrossEncoderJudge(model, candidate_tokens=scope.settings.candidate_tokens)
    return RerankFinder(scope, inner, judge, Windows(max(method.top, 2), 1, method.top))


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
