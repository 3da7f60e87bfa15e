"""The report of an experiment, in Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from leafward.evaluate.experiments.facts import Facts
from leafward.evaluate.experiments.figures import Drawn
from leafward.evaluate.experiments.losses import Losses
from leafward.evaluate.experiments.markdown import code, plain, table
from leafward.evaluate.experiments.report_tables import cost_table, quality_table, versus_table
from leafward.evaluate.experiments.results import ExperimentResult, Versus
from leafward.evaluate.experiments.studying import Studied
from leafward.evaluate.experiments.traces import FOUND_WITHIN

EXTREMES = 5
_QUERY = 110


def report(studied: Studied, facts: Facts, drawn: Sequence[Drawn]) -> Iterator[str]:
    """Lines of the report."""
    result = studied.result
    yield from (f"# {plain(facts.name)}", "", *_about(studied, facts), "")
    yield from ("## Quality", "", *quality_table(result), "")
    yield from ("## Cost", "", *cost_table(result), "")
    if result.versus is not None:
        yield from (
            f"## Against {plain(result.versus.baseline)}",
            "",
            *versus_table(result.versus),
            "",
        )
    for figure in drawn:
        yield from (f"![{figure.shows}](figures/{figure.name}.svg)", "", figure.shows, "")
    if any(losses.documents for losses in studied.losses.values()):
        yield from ("## Where relevant documents were lost", "", *_lost(studied), "")
    if result.versus is not None:
        yield from ("## Largest gains and losses", "", *_extremes(result.versus, facts), "")
    yield from ("## How it was run", "", *_how(result, facts))


def _about(studied: Studied, facts: Facts) -> Iterator[str]:
    collection = studied.result.collection
    drawn = "" if facts.limit is None else f" (a sample, limit {facts.limit})"
    yield (
        f"{plain(collection.name)}, split {plain(collection.split)}: "
        f"{len(collection.queries):,} queries{drawn}, {facts.documents:,} documents in a tree of "
        f"{facts.nodes:,} nodes, {facts.depth} deep ({facts.strategy}). Every method was asked for "
        f"{facts.k:,} documents. Intervals are 95 % bootstrap intervals over queries; where there "
        "are several seeds, a query's value is its mean over them."
    )
    for line in _warnings(studied.result, facts):
        yield from ("", f"> **Note.** {line}")


def _warnings(result: ExperimentResult, facts: Facts) -> Iterator[str]:
    """What a reader must know before believing a number."""
    asked = len(result.collection.queries)
    if facts.absent:
        yield (
            f"The index does not hold {facts.absent:,} of the documents that are judged relevant; "
            "no method here can find them."
        )
    for method in result.methods:
        name = plain(method.label)
        if method.stopped:
            yield (
                f"{name} ended before all queries were asked: {plain(method.stopped)}. It has "
                f"{method.queries} of {asked} queries; compare it on those alone."
            )
        elif lost := method.total("failed"):
            yield (
                f"{name}: {lost} rankings were lost to failures of ours (model, engine) and count "
                "in no mean. Run the experiment again to try them once more."
            )
        if degraded := method.total("degraded"):
            yield f"{name}: {degraded} rankings are degraded: a call in them was lost for good."


def _lost(studied: Studied) -> Iterator[str]:
    yield (
        "A relevant document is *found* among the first "
        f"{FOUND_WITHIN}, *judged* where it was scored but others stand before it, and *passed "
        "over* at a depth of the tree where a node on its path was scored and never expanded. "
        "The last columns say what the judgement that scored this node had made of it: it had put "
        "it first on its slate (then nodes elsewhere were preferred), second or third, or further "
        "down."
    )
    for label, losses in studied.losses.items():
        if losses.documents:
            yield from ("", f"### {plain(label)}", "", _fates(losses), "", *_levels(losses))


def _fates(losses: Losses) -> str:
    told = [f"{count:,} {fate}" for fate, count in sorted(losses.fates.items())]
    return f"{losses.documents:,} relevant documents over all queries and seeds: {', '.join(told)}."


def _levels(losses: Losses) -> Iterator[str]:
    head = ["depth", "arrived", "passed over", "share", "had been first", "2nd or 3rd", "further"]
    rows = [
        [
            *(str(each.depth), f"{each.arrived:,}", f"{each.lost:,}"),
            f"{each.lost / each.arrived:.0%}" if each.arrived else "–",
            *(f"{each.first:,}", f"{each.near:,}", f"{each.far:,}"),
        ]
        for each in losses.levels
    ]
    yield from table(head, rows, left=0)


def _extremes(versus: Versus, facts: Facts) -> Iterator[str]:
    for place, each in enumerate(versus.comparisons):
        order = sorted(versus.deltas[each.name].items(), key=lambda pair: (-pair[1], pair[0]))
        gains = [pair for pair in order if pair[1] > 0][:EXTREMES]
        losses = [pair for pair in reversed(order) if pair[1] < 0][:EXTREMES]
        yield from ([""] if place else [])
        yield from (f"### {plain(each.name)}", "")
        rows = [
            [code(query), plain(facts.texts.get(query, ""), _QUERY), f"{delta:+.3f}"]
            for query, delta in (*gains, *losses)
        ]
        if rows:
            yield from table(["query", "text", versus.measure], rows, left=2)
        else:
            yield "No query differs."


def _how(result: ExperimentResult, facts: Facts) -> Iterator[str]:
    yield f"- model: {code(facts.model) if facts.model else 'none'}"
    yield f"- embeddings: {code(facts.embedder)}"
    yield f"- queries in flight: {facts.concurrency}"
    yield f"- versions: {', '.join(f'{name} {number}' for name, number in facts.versions.items())}"
    finished = "all queries of all methods" if result.complete else "not all queries (see above)"
    yield from (f"- finished: {finished}", "", "The experiment file said:", "")
    lines = json.dumps(facts.settings, indent=2, ensure_ascii=True).splitlines()
    yield from (f"    {line}" for line in lines)
