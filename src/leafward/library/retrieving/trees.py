"""Tree search as a finder."""

from __future__ import annotations

from dataclasses import replace

from leafward.library.retrieving.found import Found, Need
from leafward.library.retrieving.scope import Scope
from leafward.library.retrieving.watching import WatchedJudge
from leafward.library.searching import TreeSearch
from leafward.settings import JudgeName, SearchSettings
from leafward.types import Hit, SearchResult


class TreeFinder:
    """Walks the tree with the need's text as the query."""

    def __init__(self, scope: Scope, judge: JudgeName, settings: SearchSettings) -> None:
        self._scope = scope
        self._search = TreeSearch(scope.opened, settings, scope.judge_name(judge))

    async def find(self, need: Need, *, k: int) -> Found:
        """Search; documents that were not judged are not found."""
        watched = WatchedJudge(self._search.make_judge())
        result = await self._search.run(
            replace(need.query, text=need.text),
            k=k,
            where=self._scope.where,
            judge=watched,
            seconds=need.left,
        )
        return Found(
            hits=tuple(Hit(hit.doc_id, hit.score) for hit in result.hits),
            judged=self._judged(result),
            degraded=result.degraded,
            stop=result.stop,
            trace=result.trace,
            details={hit.doc_id: hit for hit in result.hits},
            failure=watched.failure(result.stop),
        )

    def _judged(self, result: SearchResult) -> frozenset[str]:
        tree = self._scope.opened.snapshot.tree
        steps = () if result.trace is None else result.trace.steps
        scored = (step.judgement.scores for step in steps if step.judgement is not None)
        nodes = {node for scores in scored for node in scores}
        return frozenset(tree.doc_id(node) for node in nodes if tree.is_leaf(node))
