"""The routing probe: measures a finished tree without labels (tree-search §2.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leafward.concurrency import map_drained
from leafward.errors import ModelError
from leafward.protocols import Judge
from leafward.search.driver import NodeReader, Unread, fill
from leafward.search.traversal import Traversal
from leafward.settings import SearchSettings
from leafward.types import NO_USAGE, Judgement, Query, Slate, Tree, Usage


@dataclass(frozen=True, slots=True)
class ProbeQuery:
    """A query that was written from a document, which is therefore the one to find."""

    doc_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """How well a tree leads to its own documents.

    ``first[d]`` is the share of judged slates at depth ``d`` on which the true child had the best
    score; ``reached`` the share of documents whose leaf was scored within the budget. ``failed``
    documents could not be judged and count in neither.
    """

    documents: int
    reached: float
    first: tuple[float, ...]
    calls: int
    failed: int
    usage: Usage


@dataclass(slots=True)
class _Walk:
    reached: bool
    first: list[tuple[int, bool]]
    usage: Usage
    calls: int


async def routing_probe(
    tree: Tree,
    queries: Sequence[ProbeQuery],
    judge: Judge,
    settings: SearchSettings,
    *,
    reader: NodeReader | None = None,
    concurrency: int = 8,
    on_document: Callable[[], None] = lambda: None,
) -> ProbeReport:
    """Search for each document by its query, stopping as soon as its leaf has been scored.

    ``on_document`` is called after each document, for progress.

    Raises:
        ModelError: the provider failed, which says nothing about the tree.
        BudgetExceeded, Interrupted: before the end.
    """
    probe = _Probe(tree, judge, settings, reader or Unread())

    async def walk(query: ProbeQuery) -> _Walk | None:
        try:
            return await probe.walk(query)
        finally:
            on_document()

    walks = await map_drained(walk, list(queries), limit=concurrency)
    done = [walk for walk in walks if walk is not None]
    return ProbeReport(
        documents=len(queries),
        reached=_share([walk.reached for walk in done]),
        first=_by_depth(done),
        calls=sum(walk.calls for walk in done),
        failed=len(walks) - len(done),
        usage=sum((walk.usage for walk in done), NO_USAGE),
    )


class _Probe:
    def __init__(
        self, tree: Tree, judge: Judge, settings: SearchSettings, reader: NodeReader
    ) -> None:
        self._tree = tree
        self._judge = judge
        # One call at a time: the probe stops early, and calls beyond the goal would be waste.
        self._settings = settings.model_copy(
            update={"beam": 1, "iterations": settings.beam * settings.iterations}
        )
        self._reader = reader

    async def walk(self, query: ProbeQuery) -> _Walk | None:
        """One document's search; None where its judge had no answer to it."""
        goal = self._tree.leaf_id(self._tree.position_of(query.doc_id))
        path = self._tree.path(goal)
        traversal = Traversal(self._tree, query.text, self._settings)
        walk = _Walk(False, [], NO_USAGE, 0)
        while not walk.reached and (slate := traversal.next_slate()) is not None:
            try:
                shown = fill(slate, self._reader)
                judgement = await self._judge.judge(Query(query.doc_id, query.text), shown)
            except ModelError as error:
                if not error.of_request:
                    raise
                return None
            walk.calls += 1
            walk.usage += judgement.usage
            self._note(walk, slate, judgement, path)
            traversal.absorb(slate.id, judgement)
            walk.reached = goal in judgement.scores
            await asyncio.sleep(0)  # a judge that never waits must not starve the other walks
        return walk

    def _note(self, walk: _Walk, slate: Slate, judgement: Judgement, path: tuple[int, ...]) -> None:
        """Was the true child first among its siblings? Only slates on the true path tell."""
        children = [c.node for c in slate.candidates if not c.reference]
        true = next((child for child in children if child in path), None)
        scored = [child for child in children if child in judgement.scores]
        if true is None or not scored:
            return
        best = max(scored, key=lambda child: judgement.scores[child])
        walk.first.append((path.index(true) - 1, best == true))


def _by_depth(walks: Sequence[_Walk]) -> tuple[float, ...]:
    notes = [note for walk in walks for note in walk.first]
    deepest = max((depth for depth, _ in notes), default=-1)
    return tuple(
        _share([right for at, right in notes if at == depth]) for depth in range(deepest + 1)
    )


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0
