"""What expressions are made of, so that a reader sees what a policy learned: a skill or a trick."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leafward.types import Need
from leafward.writing.words import content_words

OPERATORS = {
    "AND": re.compile(r"\bAND\b"),
    "OR": re.compile(r"\bOR\b"),
    "NOT": re.compile(r"\bNOT\b"),
    "( )": re.compile(r"\("),
    "“phrase”": re.compile(r'"'),
    "[tag]": re.compile(r"\[\w"),
    "trunc*": re.compile(r"\w\*"),
}
"""Marks of a search language, by the name under which a report counts them."""

_NO_WORDS = frozenset({"and", "or", "not"})


@dataclass(frozen=True, slots=True)
class Traits:
    """Means over expressions: how many words, what share of them stands in the need and in its
    intervention, and how many expressions have each mark of the language."""

    expressions: int
    words: float
    from_need: float
    from_intervention: float
    repeated: float
    marks: Mapping[str, float]


def traits_of(written: Sequence[tuple[Need, str]]) -> Traits:
    """Traits of expressions that are not empty."""
    pairs = [(need, expression) for need, expression in written if expression.strip()]
    words = [_words(expression) for _, expression in pairs]
    needs = [set(content_words(f"{need.text} {' '.join(need.pico.values())}")) for need, _ in pairs]
    tried = [set(content_words(need.pico.get("I", ""))) for need, _ in pairs]
    count = len(pairs)
    return Traits(
        expressions=count,
        words=_mean([len(each) for each in words]),
        from_need=_mean([_share(w, n) for w, n in zip(words, needs, strict=True)]),
        from_intervention=_mean([_share(w, t) for w, t in zip(words, tried, strict=True)]),
        repeated=_mean([len(set(each)) < len(each) for each in words]),
        marks={
            name: sum(bool(mark.search(text)) for _, text in pairs) / max(count, 1)
            for name, mark in OPERATORS.items()
        },
    )


def _words(expression: str) -> list[str]:
    """Words of an expression with repetitions, without operators and tags."""
    bare = re.sub(r"\[[^\]]*\]", " ", expression)
    found = (word.lower() for word in re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*", bare))
    return [word for word in found if word not in _NO_WORDS]


def _share(words: Sequence[str], known: set[str]) -> float:
    return sum(word in known for word in words) / len(words) if words else 0.0


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 0.0
