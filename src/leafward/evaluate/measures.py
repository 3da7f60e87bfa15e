"""Measures by their ir-measures names, for every query on its own."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from leafward.errors import MissingExtra, SettingsError
from leafward.evaluate.order import Run, allowed, trec_order
from leafward.types import Qrels, Ranking

DEFAULT_MEASURES = (
    "nDCG@10",
    "R@100",
    "R@1000",
    "RR@10",
    "Success@1",
    "Success@5",
    "Success@10",
    "AP",
    "Judged@10",
)
"""What is reported unless asked otherwise: RR@10 is MRR@10, and AP averages to MAP."""

_HINT = "name measures as ir-measures does, such as nDCG@10, R@100, RR@10, Success@5, AP, P@5"

PerQuery = dict[str, dict[str, float]]
"""Values by measure and query id."""


class Measures:
    """Some measures of ir-measures (MacAvaney et al. 2022), each named as its documentation does.

    Other spellings that ir-measures knows (MRR, MAP, Recall) are taken; ``names`` holds the usual
    ones, in the order asked for, each once.

    Raises:
        SettingsError: no such measure, or none at all.
        MissingExtra: ir-measures or the package that computes a measure is not installed.
    """

    def __init__(self, names: Sequence[str] = DEFAULT_MEASURES) -> None:
        if not names:
            raise SettingsError("no measure is named", hint=_HINT)
        self._measures: dict[str, Any] = {}
        for name in names:
            measure = _parsed(name)
            self._measures[str(measure)] = measure

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._measures)

    def per_query(
        self,
        qrels: Qrels,
        run: Mapping[str, Ranking] | Run,
        excluded: Mapping[str, Collection[str]] | None = None,
    ) -> PerQuery:
        """Values of every measure for every query that is judged and has a ranking.

        A query without a ranking has no value (see :class:`leafward.types.Outcome`); one with an
        empty ranking has 0. ``excluded`` documents are taken out of the rankings first. Order and
        ties as in :func:`leafward.evaluate.order.trec_order`.
        """
        exclusions = excluded or {}
        queries = [query_id for query_id in run if query_id in qrels]
        ranks = {
            query_id: _ranks(query_id, run[query_id], exclusions.get(query_id, ()))
            for query_id in queries
        }
        return self._calculated({query_id: dict(qrels[query_id]) for query_id in queries}, ranks)

    def _calculated(
        self, qrels: dict[str, dict[str, int]], ranks: dict[str, dict[str, int]]
    ) -> PerQuery:
        import ir_measures

        values: PerQuery = {name: dict.fromkeys(qrels, 0.0) for name in self._measures}
        judged = {query_id: judgements for query_id, judgements in qrels.items() if judgements}
        # Measures that divide by the length of a ranking cannot take an empty one; it scores 0.
        found = {query_id: ranks[query_id] for query_id in judged if ranks[query_id]}
        if not found:
            return values
        pipeline = ir_measures.DefaultPipeline
        evaluator = pipeline.evaluator(list(self._measures.values()), judged)
        # A measure spells its name out whenever it is asked; with many queries that is most of it.
        names = {id(measure): name for name, measure in self._measures.items()}
        for metric in evaluator.iter_calc(found):
            name = names.get(id(metric.measure)) or str(metric.measure)
            values[name][metric.query_id] = float(metric.value)
        return values


def _ranks(
    query_id: str, ranked: Ranking | Mapping[str, float], excluded: Collection[str]
) -> dict[str, int]:
    """Scores that fall by one from rank to rank, so that every provider orders them alike."""
    order = allowed(trec_order(query_id, ranked), excluded)
    return dict(zip(order, range(len(order), 0, -1), strict=True))


def _parsed(name: str) -> Any:
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtra("ir-measures", "eval") from error
    try:
        measure = _measure(name, ir_measures.measures.registry)
        pipeline: Any = ir_measures.DefaultPipeline
        known = pipeline.supports(measure)
    except (ValueError, TypeError, KeyError, SyntaxError, AssertionError) as error:
        raise SettingsError(f"there is no measure {name!r}", hint=_HINT) from error
    if known:
        return measure
    if not ir_measures.pytrec_eval.is_available():
        raise MissingExtra("pytrec-eval-terrier", "eval")
    raise SettingsError(f"{name!r} cannot be computed by what is installed", hint=_HINT)


def _measure(name: str, registry: Mapping[str, Any]) -> Any:
    """Read ``Name(key=value)@cutoff``; ir-measures' own reader needs what Python 3.14 dropped."""
    node = ast.parse(name.strip(), mode="eval").body
    cutoff = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        cutoff, node = ast.literal_eval(node.right), node.left
    arguments: dict[str, Any] = {}
    if isinstance(node, ast.Call):
        if node.args or any(keyword.arg is None for keyword in node.keywords):
            raise ValueError("arguments need names")
        arguments = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name):
        raise ValueError("not a name")
    kind = registry[node.id]
    if cutoff is not None:
        arguments[kind.AT_PARAM] = cutoff
    return kind(**arguments)
