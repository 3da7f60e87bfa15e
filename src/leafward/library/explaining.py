"""Why a search found a document, or where in the tree it lost it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from leafward.errors import SettingsError
from leafward.library.index import Index
from leafward.library.retrieving import Scope
from leafward.library.searching import TreeSearch
from leafward.search.fates import GoldPath
from leafward.search.lost import gold_paths
from leafward.search.replaying import Replay
from leafward.settings import JudgeName, SearchSettings
from leafward.store import Where
from leafward.types import NO_USAGE, Query, StopReason, Trace, Usage


@dataclass(frozen=True, slots=True)
class Explanation:
    """The path of one document through one search.

    ``names`` has the name of every node and the title (or id) of every document in it.
    ``reused`` says that the search was not made again: its trace was there. ``judgements`` counts
    slates that were judged, ``leaves`` documents that were scored.
    """

    query: str
    path: GoldPath
    names: Mapping[int, str]
    k: int
    stop: StopReason
    degraded: bool
    judgements: int
    leaves: int
    usage: Usage
    reused: bool


async def aexplain(
    index: Index,
    text: str,
    doc_id: str,
    *,
    k: int = 10,
    judge: JudgeName = "auto",
    exclude: Collection[str] = (),
    where: Where | None = None,
    relevance: str = "",
    search: SearchSettings | None = None,
) -> Explanation:
    """Async twin of :func:`explain`."""
    if not text.strip():
        raise SettingsError("the query is empty", hint="say what was searched for")
    index.document(doc_id)  # refuses one that the index does not hold
    opened = index.opened
    settings = search or index.search_settings
    tree = TreeSearch(opened, settings, Scope(opened, settings).judge_name(judge))
    query = Query("", text, relevance, frozenset(exclude))
    trace, usage = tree.stored(query, k=k, where=where), NO_USAGE
    reused = trace is not None
    if trace is None:
        result = await tree.run(query, k=k, where=where)
        trace, usage = result.trace, result.usage
    assert trace is not None  # a tree search always leaves one
    live = opened.live(query.excluded_ids, where)
    replay = Replay(index.tree, trace, tree.settings, live=live, k=k).run()
    path = gold_paths(replay, [doc_id])[0]
    return _explained(index, replay, trace, path, usage, reused)


def explain(
    index: Index,
    text: str,
    doc_id: str,
    *,
    k: int = 10,
    judge: JudgeName = "auto",
    exclude: Collection[str] = (),
    where: Where | None = None,
    relevance: str = "",
    search: SearchSettings | None = None,
) -> Explanation:
    """Walk a document's path through a tree search, and say where and to whom it was lost.

    Takes what :meth:`leafward.Index.search` takes. The search that was made with the same
    arguments is looked at again, for nothing; one that was never made is made.

    Raises:
        SettingsError: the index holds no such document; else as :meth:`leafward.Index.search`.
    """
    return index.call(
        lambda: aexplain(
            index,
            text,
            doc_id,
            k=k,
            judge=judge,
            exclude=exclude,
            where=where,
            relevance=relevance,
            search=search,
        )
    )


def _explained(
    index: Index, replay: Replay, trace: Trace, path: GoldPath, usage: Usage, reused: bool
) -> Explanation:
    return Explanation(
        query=trace.query,
        path=path,
        names=_names(index, path),
        k=replay.traversal.k,
        stop=trace.stop,
        degraded=replay.traversal.degraded,
        judgements=len(trace.steps),
        leaves=len(replay.traversal.leaves()),
        usage=usage,
        reused=reused,
    )


def _names(index: Index, path: GoldPath) -> dict[int, str]:
    """Names of every node that the path speaks of."""
    tree = index.tree
    nodes = {rival.node for rival in path.rivals} | {step.node for step in path.steps}
    nodes |= {rival.node for step in path.steps for rival in step.better} | {0}
    leaves = sorted(node for node in nodes if tree.is_leaf(node))
    titles = index.opened.titles([tree.doc_id(leaf) for leaf in leaves])
    names = {leaf: title or tree.doc_id(leaf) for leaf, title in zip(leaves, titles, strict=True)}
    return {node: tree.nodes[node].name for node in nodes if not tree.is_leaf(node)} | names
