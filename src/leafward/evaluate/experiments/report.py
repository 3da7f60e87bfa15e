"""The report of an experiment, in Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from leafward.evaluate.experiments.facts import Facts
from leafward.evaluate.experiments.figures import Drawn
from leafward.evaluate.experiments.losses import Losses
from leafward.evaluate.experiments.markdown import code, plain, table
from leafward.evaluate.experiments.results import (
    ExperimentResult,
    MethodResult,
    Versus,
    full_tokens,
)
from leafward.evaluate.experiments.studying import Studied
from leafward.evaluate.experiments.traces import FOUND_WITHIN

EXTREMES = 5
_QUERY = 110


def report(studied: Studied, facts: Facts, drawn: Sequence[Drawn]) -> Iterator[str]:
    """Lines of the report."""
    result = studied.result
    yield from (f"# {plain(facts.name)}", "", *_about(studied, facts), "")
    yield from ("## Quality", "", *_quality(result), "")
    yield from ("## Cost", "", *_cost(result), "")
    if result.versus is not None:
        yield from (f"## Against {plain(result.versus.baseline)}", "", *_versus(result.versus), "")
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


def _quality(result: ExperimentResult) -> Iterator[str]:
    head = ["method", "queries", *(plain(name) for name in result.measures)]
    yield from table(head, [_quality_row(result, method) for method in result.methods])
    yield ""
    for method in result.methods:
        seeds = ", ".join(map(str, method.seeds))
        yield f"- {plain(method.label)}: {code(method.method)}" + (
            f", seeds {seeds}" if len(method.seeds) > 1 else ""
        )


def _quality_row(result: ExperimentResult, method: MethodResult) -> list[str]:
    cells = []
    for name in result.measures:
        estimate = method.estimates.get(name)
        if estimate is None:
            cells.append("–")
            continue
        low, high = estimate.interval.low, estimate.interval.high
        mean = f"**{estimate.mean:.3f}**" if name == result.measure else f"{estimate.mean:.3f}"
        # The blank is one that does not break: an interval stays on one line.
        cells.append(f"{mean}<br>[{low:.3f},\u00a0{high:.3f}]")
    return [plain(method.label), str(method.queries), *cells]


def _cost(result: ExperimentResult) -> Iterator[str]:
    yield "A query, on average; of seconds the median. Tokens and dollars are what the method costs"
    yield "by itself: answers that the index already held count at what they once cost. Paid are"
    yield "the calls and dollars of this experiment alone, over all of its runs."
    yield ""
    head = [
        *("method", "calls", "tokens", "of them paid", "dollars", "seconds", "documents judged"),
        *("calls paid in all", "dollars paid in all"),
    ]
    yield from table(head, [_cost_row(method) for method in result.methods])


def _cost_row(method: MethodResult) -> list[str]:
    usage, asked = method.usage, max(method.asked, 1)
    tokens = full_tokens(usage)
    known = usage.money is not None and usage.saved_money is not None
    money = (usage.money or 0.0) + (usage.saved_money or 0.0)
    return [
        plain(method.label),
        f"{(usage.calls + usage.cache_hits) / asked:,.1f}",
        f"{tokens / asked:,.0f}",
        f"{usage.tokens / tokens:.0%}" if tokens else "–",
        f"{money / asked:.4f}" if known else "unknown",
        f"{method.median_seconds:,.2f}",
        f"{method.total('judged') / asked:,.1f}",
        f"{usage.calls:,}",
        "unknown" if usage.money is None else f"{usage.money:.2f}",
    ]


def _versus(versus: Versus) -> Iterator[str]:
    yield (
        f"{plain(versus.measure)}, query by query, on the queries that both have. p is of the "
        "paired randomisation test, corrected for the number of methods (Holm)."
    )
    yield ""
    rows = [
        [
            plain(each.name),
            f"{each.difference:+.3f} [{each.interval.low:+.3f}, {each.interval.high:+.3f}]",
            f"{each.p_value:.4f}",
            f"{each.p_corrected:.4f}",
            *(str(each.wins), str(each.ties), str(each.losses)),
            str(each.wins + each.ties + each.losses),
        ]
        for each in versus.comparisons
    ]
    head = ["method", "difference", "p", "p corrected", "wins", "ties", "losses", "queries"]
    yield from table(head, rows)


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
