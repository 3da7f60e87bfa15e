"""The report of a run, in Markdown: what the policy is worth beside what was before it and what
costs nothing."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leafward.evaluate.experiments.markdown import code, plain, table
from leafward.evaluate.statistics import Interval, bootstrap, compare, told_p
from leafward.training.answers import Answer, Method, Values
from leafward.training.traits import OPERATORS, Traits, traits_of
from leafward.types import Need

EXAMPLES = 12
TRAINED, BEFORE = "trained", "zero-shot"
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Compared:
    """Methods on the same needs and engine; ``facts`` are what else a reader must know, by name."""

    name: str
    needs: Mapping[str, Need]
    methods: Sequence[Method]
    reward: str
    facts: Mapping[str, str]
    recipe: Mapping[str, object]

    def method(self, label: str) -> Method | None:
        """The method of this label."""
        return next((each for each in self.methods if each.label == label), None)


def report(compared: Compared) -> Iterator[str]:
    """Lines of the report."""
    yield from (f"# {plain(compared.name)}", "", *_about(compared), "")
    yield from ("## What each method is worth", "", *_quality(compared), "")
    yield from (*(f"- {plain(each.label)}: {plain(each.about)}" for each in compared.methods), "")
    if compared.method(TRAINED) is not None:
        yield from ("## The trained policy against each", "", *_versus(compared), "")
        yield from ("## What it learned", "", *_learned(compared), "")
        yield from ("![curves](curves.png)", "")
    yield from ("## How it was run", "")
    yield from (f"- {name}: {plain(value)}" for name, value in compared.facts.items())
    yield from ("", "The recipe:", "")
    lines = json.dumps(compared.recipe, indent=2, ensure_ascii=True).splitlines()
    yield from (f"    {line}" for line in lines)


def _about(compared: Compared) -> Iterator[str]:
    yield (
        f"{len(compared.needs):,} needs that decided nothing in training, the same engine for all, "
        f"reward `{compared.reward}`. *Found* is the share of needs for which anything relevant is "
        "within the cut-off. Models answer greedily. Intervals are 95 % bootstrap intervals over "
        "needs."
    )
    lost = sum(each.reward is None for method in compared.methods for each in _all(method))
    if lost:
        yield from ("", f"> **Note.** {lost} answers have no reward by failures of ours; they ")
        yield "> count in no mean, and the same command tries them once more."


def _all(method: Method) -> Iterator[Answer]:
    yield from method.answers.values()


def _quality(compared: Compared) -> Iterator[str]:
    head = ["method", "needs", "found", "reward", "measure", "precision"]
    head += ["hits (median)", "none", "at cap", "format wrong", "refused", "tokens a need"]
    yield from table(head, [_row(method) for method in compared.methods])


def _row(method: Method) -> list[str]:
    scored = method.scored()
    if not scored:
        return [plain(method.label), "0", *["–"] * 10]
    run = [each for each in scored if each.hits is not None]
    return [
        plain(method.label),
        str(len(scored)),
        _estimate(method.found()),
        _estimate(method.rewards()),
        f"{statistics.fmean(method.measures().values()):.3f}",
        f"{statistics.fmean(each.precision or 0.0 for each in run):.3f}" if run else "–",
        f"{statistics.median(each.hits or 0 for each in run):g}" if run else "–",
        _share([each.hits == 0 for each in run]),
        _share([bool(each.at_cap) for each in run]),
        _share([not each.well_formed for each in scored]),
        _share([each.refused for each in scored]),
        f"{statistics.fmean(each.tokens for each in scored):.0f}",
    ]


def _estimate(values: Values) -> str:
    """A mean with its interval."""
    interval = bootstrap(np.array(list(values.values())))
    return f"**{statistics.fmean(values.values()):.3f}**<br>{_between(interval)}"


def _between(interval: Interval) -> str:
    # The blank is one that does not break: an interval stays on one line.
    return f"[{interval.low:.3f},\u00a0{interval.high:.3f}]"


def _share(flags: Sequence[bool]) -> str:
    return f"{sum(flags) / len(flags):.1%}" if flags else "–"


def _versus(compared: Compared) -> Iterator[str]:
    trained = compared.method(TRAINED)
    others = [each for each in compared.methods if each.label != TRAINED and each.scored()]
    if trained is None or not trained.scored() or not others:
        yield "There is nothing to compare with."
        return
    yield (
        "Differences trained − other on the needs that both have, query by query: mean, 95 % "
        "bootstrap interval, p of the paired randomisation test after Holm's correction over the "
        "rows, and needs won / tied / lost."
    )
    yield ""
    head = ["against", "found", "p", "won/tied/lost", "reward", "p", "won/tied/lost"]
    by_found = _against(trained.found(), {each.label: each.found() for each in others})
    by_reward = _against(trained.rewards(), {each.label: each.rewards() for each in others})
    rows = [
        [plain(other.label), *by_found[other.label], *by_reward[other.label]] for other in others
    ]
    yield from table(head, rows)


def _against(trained: Values, others: Mapping[str, Values]) -> dict[str, list[str]]:
    """Cells by method: the comparison is the other way round, so that signs and sides change."""
    cells: dict[str, list[str]] = {}
    for each in compare(trained, others):
        turned = Interval(_turned(each.interval.high), _turned(each.interval.low))
        cells[each.name] = [
            f"{_turned(each.difference):+.3f}<br>{_between(turned)}",
            told_p(each.p_corrected, 4),
            f"{each.losses}/{each.ties}/{each.wins}",
        ]
    return cells


def _turned(value: float) -> float:
    """The opposite, without a minus before nothing."""
    return round(-value, 9) + 0.0


def _learned(compared: Compared) -> Iterator[str]:
    shown = [each for each in compared.methods if each.scored()]
    head = ["method", "words", "from the need", "from its intervention", "a word twice"]
    rows = [_traits(each.label, _expressions(compared, each)) for each in shown]
    yield from table([*head, *OPERATORS], rows)
    yield from ("", *_examples(compared))


def _expressions(compared: Compared, method: Method) -> Traits:
    return traits_of(
        [
            (compared.needs[each.need_id], each.expression)
            for each in method.scored()
            if each.well_formed
        ]
    )


def _traits(label: str, traits: Traits) -> list[str]:
    shares = [traits.from_need, traits.from_intervention, traits.repeated, *traits.marks.values()]
    return [plain(label), f"{traits.words:.1f}", *(f"{share:.0%}" for share in shares)]


def _examples(compared: Compared) -> Iterator[str]:
    """Needs drawn with a fixed seed, not chosen, before and after."""
    before, after = compared.method(BEFORE), compared.method(TRAINED)
    if before is None or after is None:
        return
    shared = sorted(before.answers.keys() & after.answers.keys())
    drawn = random.Random(0).sample(shared, min(EXAMPLES, len(shared)))
    yield f"{len(drawn)} needs, drawn with a seed and not chosen; ✓ found, ✗ not."
    yield ""
    rows = [
        [
            plain(compared.needs[need_id].text, _LONGEST),
            _told(before.answers[need_id]),
            _told(after.answers[need_id]),
        ]
        for need_id in drawn
    ]
    yield from table(["need", "before", "after"], rows, left=3)


def _told(answer: Answer) -> str:
    """An expression with what it finds."""
    shown = code(answer.expression[:_LONGEST]) if answer.expression else "–"
    if not answer.well_formed:
        return f"{shown} (format wrong)"
    if answer.refused:
        return f"{shown} (refused)"
    mark = "✓" if answer.measure else "✗"
    return f"{shown} {mark} {answer.hits if answer.hits is not None else '–'}"
