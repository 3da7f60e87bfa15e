"""The tables at the head of a report: quality, cost, and the comparison with the baseline."""

from __future__ import annotations

from collections.abc import Iterator

from leafward.evaluate.experiments.markdown import code, plain, table
from leafward.evaluate.experiments.results import ExperimentResult, MethodResult, Versus
from leafward.evaluate.experiments.values import full_tokens
from leafward.evaluate.statistics import told_p


def quality_table(result: ExperimentResult) -> Iterator[str]:
    """Means with intervals, a row for each method; then what each method is."""
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


def cost_table(result: ExperimentResult) -> Iterator[str]:
    """What each method takes by itself, and what was paid for it here."""
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


def versus_table(versus: Versus) -> Iterator[str]:
    """Differences to the baseline with intervals, p-values and counts."""
    yield (
        f"{plain(versus.measure)}, query by query, on the queries that both have. p is of the "
        "paired randomisation test, corrected for the number of methods (Holm)."
    )
    yield ""
    rows = [
        [
            plain(each.name),
            f"{each.difference:+.3f} [{each.interval.low:+.3f}, {each.interval.high:+.3f}]",
            told_p(each.p_value, 4),
            told_p(each.p_corrected, 4),
            *(str(each.wins), str(each.ties), str(each.losses)),
            str(each.wins + each.ties + each.losses),
        ]
        for each in versus.comparisons
    ]
    head = ["method", "difference", "p", "p corrected", "wins", "ties", "losses", "queries"]
    yield from table(head, rows)
