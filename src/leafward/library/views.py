"""What an evaluation has to know of a method and an index beside the rankings."""

from __future__ import annotations

from leafward.evaluate.experiments.results import SearchView
from leafward.evaluate.method import Method, Rewritten, Tree, TreePlus
from leafward.library.fingerprint import evaluation_key
from leafward.library.index import Index
from leafward.library.judging import suited
from leafward.library.retrieving import Scope
from leafward.library.retrieving.making import tree_settings
from leafward.settings import SearchSettings
from leafward.types import Collection


def index_key(index: Index, settings: SearchSettings) -> str:
    """What decides rankings beside the method: see :class:`leafward.evaluate.Header`."""
    session = index.opened.session
    return evaluation_key(
        settings,
        session.settings.models,
        generation=index.opened.snapshot.fingerprint,
        model=session.model,
        embedder=session.embedder_name,
    )


def search_view(
    method: Method, index: Index, settings: SearchSettings, k: int
) -> SearchView | None:
    """What replaying a method's traces takes; None where it is no tree search of its own."""
    while isinstance(method, Rewritten):
        method = method.of
    if not isinstance(method, Tree):
        return None
    judge = Scope(index.opened, settings).judge_name(method.judge)
    return SearchView(index.tree, suited(tree_settings(method, settings), judge), k)


def searches_trees(method: Method) -> bool:
    """Whether a seed can make a difference: tree search draws references and shuffles slates."""
    match method:
        case Tree():
            return "seed" not in dict(method.search)
        case TreePlus():
            return searches_trees(method.tree)
        case _:
            parts = getattr(method, "of", ())
            return any(
                searches_trees(part) for part in (parts if isinstance(parts, tuple) else (parts,))
            )


def count_absent(index: Index, collection: Collection) -> int:
    """Documents judged relevant that the index does not hold, over all queries."""
    held = set(index.tree.leaves)
    return sum(
        grade > 0 and doc_id not in held
        for judged in collection.qrels.values()
        for doc_id, grade in judged.items()
    )
