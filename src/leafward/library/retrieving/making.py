"""From a method to a retriever over an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from leafward.evaluate.method import (
    Bm25,
    CrossEncoder,
    Dense,
    Hybrid,
    Method,
    Rerank,
    Rewritten,
    Rrf,
    Tree,
    TreePlus,
)
from leafward.library.retrieving.flat import Bm25Finder, DenseFinder
from leafward.library.retrieving.found import Finder, FinderRetriever, Group
from leafward.library.retrieving.fusing import FusedFinder, Together, by_ranks, by_weights
from leafward.library.retrieving.reranking import cross_encoded, sliding
from leafward.library.retrieving.rewriting import Rewriting, RewrittenFinder, RewrittenGroup
from leafward.library.retrieving.scope import Scope
from leafward.library.retrieving.trees import TreeFinder
from leafward.protocols import Retriever
from leafward.settings import SearchSettings
from leafward.store import Where

if TYPE_CHECKING:
    from leafward.library.index import Index


def make_retriever(
    method: Method,
    index: Index,
    *,
    search: SearchSettings | None = None,
    where: Where | None = None,
) -> Retriever:
    """The retriever of a method over an index; the index must stay open while it is used.

    It honours a query's excluded documents and definition of relevance, and its rankings tell their
    own usage also while many queries are in flight.

    Args:
        search: settings of judges and trees, with limits for each query.
        where: metadata conditions that hold for every query.

    Raises:
        SettingsError: a judge or rewriter without its model.
        MissingExtra: a cross-encoder without its packages.
    """
    settings = search or index.search_settings
    scope = Scope(index.opened, settings, where=where)
    return FinderRetriever(make_finder(method, scope), settings)


def make_finder(method: Method, scope: Scope) -> Finder:
    """The finder of a method."""
    match method:
        case Bm25():
            return Bm25Finder(scope)
        case Dense():
            return DenseFinder(scope)
        case Hybrid():
            fuse = by_weights(method.weights, adaptive=method.adaptive)
            return FusedFinder([_cheap(scope)], fuse, depth=method.depth)
        case Tree():
            return TreeFinder(scope, method.judge, tree_settings(method, scope.settings))
        case TreePlus():
            return _tree_plus(method, scope)
        case Rrf():
            parts = Together([make_finder(part, scope) for part in method.of])
            return FusedFinder([parts], by_ranks(method.c), depth=method.depth)
        case Rerank():
            return sliding(method, make_finder(method.of, scope), scope)
        case CrossEncoder():
            return cross_encoded(method, make_finder(method.of, scope), scope)
        case Rewritten():
            rewriting = Rewriting(scope, method.rewriting)
            return RewrittenFinder(rewriting, make_finder(method.of, scope))
    assert_never(method)


def tree_settings(method: Tree, settings: SearchSettings) -> SearchSettings:
    """The method's own settings over those of the scope, whose limits hold elsewhere."""
    limits = {"max_tokens": None, "max_money": None, "deadline": None}
    return settings.model_copy(update=limits | dict(method.search))


def _tree_plus(method: TreePlus, scope: Scope) -> Finder:
    tree = Together([make_finder(method.tree, scope)])
    cheap = _cheap(scope)
    if method.cheap is not None:
        cheap = RewrittenGroup(Rewriting(scope, method.cheap), cheap)
    fuse = by_weights(method.weights, adaptive=method.adaptive)
    return FusedFinder([tree, cheap], fuse, depth=method.depth)


def _cheap(scope: Scope) -> Group:
    return Together([Bm25Finder(scope), DenseFinder(scope)])
