"""About how many model calls a method makes for a query, told before anything is spent."""

from __future__ import annotations

from leafward.evaluate.method import CrossEncoder, Method, Rerank, Rewritten, Rrf, Tree, TreePlus
from leafward.library.judging import resolve_judge
from leafward.library.retrieving.making import tree_settings
from leafward.settings import JudgeName, SearchSettings

CALLS_PER_SLATE: dict[JudgeName, int] = {"embedding": 0, "listwise": 1}
"""Others read the letters of a slate in both orders."""


def calls_per_query(method: Method, settings: SearchSettings, model: str | None) -> int:
    """Calls for one query where every answer can be used; what has to be asked again comes on top.

    Tree search counts with its whole budget of expansions, reranking with all of its windows.
    """

    def slates(judge: JudgeName, count: int) -> int:
        return count * CALLS_PER_SLATE.get(resolve_judge(judge, model), 2)

    match method:
        case Tree():
            own = tree_settings(method, settings)
            return slates(method.judge, own.beam * own.iterations)
        case TreePlus():
            rewrites = 1 if method.cheap else 0  # both cheap sources ask the same
            return rewrites + calls_per_query(method.tree, settings, model)
        case Rerank():
            return slates(method.judge, windows(method)) + calls_per_query(
                method.of, settings, model
            )
        case CrossEncoder():
            return calls_per_query(method.of, settings, model)
        case Rewritten():
            return 1 + calls_per_query(method.of, settings, model)
        case Rrf():
            return sum(calls_per_query(part, settings, model) for part in method.of)
        case _:
            return 0


def windows(method: Rerank) -> int:
    """Windows of a reranking whose shortlist is as long as it asks for."""
    if method.calls is not None:
        return method.calls
    step = method.window - method.carry
    return 1 + max(0, -(-(method.top - method.window) // step))
