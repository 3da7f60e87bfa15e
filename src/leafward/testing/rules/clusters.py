"""A sensible clustering of summary lines: shared words decide who stands together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leafward.testing.chat import ChatRequest, Reply
from leafward.testing.prompts import bounds, counted
from leafward.testing.words import content_words

Line = tuple[str, int]


def clusters(request: ChatRequest) -> Reply | None:
    """Clusters of the ``summary (count)`` lines, as many as asked for, balanced by count.

    Lines are put in an order in which those that share frequent words are neighbours, and that
    order is cut into parts. Every line is used once, word for word.
    """
    if request.kind != "clusters":
        return None
    lines = list(dict(counted(request)).items())
    low, high = bounds(request)
    parts = partition(lines, max(low, min(high, round(len(lines) ** 0.5))))
    return Reply.json({"clusters": [_cluster(part, number) for number, part in enumerate(parts)]})


def partition(lines: Sequence[Line], parts: int) -> list[list[Line]]:
    """Cut lines into that many parts (fewer only where there are fewer lines)."""
    rest = _by_shared_words(lines)
    left = sum(count for _, count in rest)
    found: list[list[Line]] = []
    for open_parts in range(min(parts, len(rest)), 0, -1):
        part, weight = [rest.pop(0)], 0
        weight = part[0][1]
        while len(rest) >= open_parts and weight + rest[0][1] / 2 <= left / open_parts:
            weight += rest[0][1]
            part.append(rest.pop(0))
        if open_parts == 1:
            part += rest
        left -= weight
        found.append(part)
    return found


def _by_shared_words(lines: Sequence[Line]) -> list[Line]:
    frequency: Counter[str] = Counter()
    for text, count in lines:
        for word in set(content_words(text)):
            frequency[word] += count

    def key(line: Line) -> list[tuple[int, str]]:
        return sorted((-frequency[word], word) for word in set(content_words(line[0])))

    return sorted(lines, key=key)


def _cluster(part: Sequence[Line], number: int) -> dict[str, object]:
    frequency: Counter[str] = Counter()
    for text, count in part:
        for word in content_words(text):
            frequency[word] += count
    leading = [word for word, _ in frequency.most_common(10)]
    return {
        "name": " ".join(leading[:3]) or f"group {number + 1}",
        "description": "Passages on " + ", ".join(leading) + ".",
        "keywords": [text for text, _ in part],
    }
