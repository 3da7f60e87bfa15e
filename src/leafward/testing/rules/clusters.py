"""A sensible clustering of summary lines: shared words decide who stands together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leafward.testing.chat import ChatRequest, Reply
from leafward.testing.prompts import bounds, counted, existing_clusters
from leafward.testing.words import content_words

Line = tuple[str, int]


def clusters(request: ChatRequest) -> Reply | None:
    """Clusters of the ``summary (count)`` lines, as many as asked for, balanced by count.

    Lines are put in an order in which those that share frequent words are neighbours, and that
    order is cut into parts. Every line is used once, word for word. Where the prompt names
    clusters that exist already, each line goes to the one with which it shares the most words.
    """
    if request.kind != "clusters":
        return None
    lines = list(dict(counted(request)).items())
    if existing := existing_clusters(request):
        return Reply.json({"clusters": _placed(lines, existing)})
    low, high = bounds(request)
    parts = partition(lines, max(low, min(high, round(len(lines) ** 0.5))))
    return Reply.json({"clusters": _named(parts)})


def partition(lines: Sequence[Line], parts: int) -> list[list[Line]]:
    """Cut lines into that many parts (fewer only where there are fewer lines)."""
    rest = _by_shared_words(lines)
    left = sum(count for _, count in rest)
    found: list[list[Line]] = []
    for open_parts in range(min(parts, len(rest)), 0, -1):
        part = [rest.pop(0)]
        weight = part[0][1]
        while len(rest) >= open_parts and weight + rest[0][1] / 2 <= left / open_parts:
            weight += rest[0][1]
            part.append(rest.pop(0))
        if open_parts == 1:
            part += rest
        left -= weight
        found.append(part)
    return found


def _placed(lines: Sequence[Line], existing: Sequence[tuple[str, str]]) -> list[dict[str, object]]:
    known = [set(content_words(f"{name} {text}")) for name, text in existing]
    keywords: list[list[str]] = [[] for _ in existing]
    for line, _ in lines:
        shared = [len(cluster.intersection(content_words(line))) for cluster in known]
        keywords[shared.index(max(shared))].append(line)
    return [
        {"name": name, "description": "", "keywords": found}
        for (name, _), found in zip(existing, keywords, strict=True)
    ]


def _by_shared_words(lines: Sequence[Line]) -> list[Line]:
    frequency: Counter[str] = Counter()
    for text, count in lines:
        for word in set(content_words(text)):
            frequency[word] += count

    def key(line: Line) -> list[tuple[int, str]]:
        return sorted((-frequency[word], word) for word in set(content_words(line[0])))

    return sorted(lines, key=key)


def _named(parts: Sequence[Sequence[Line]]) -> list[dict[str, object]]:
    """Clusters with names of their leading words, numbered where two would be the same."""
    found: dict[str, dict[str, object]] = {}
    for number, part in enumerate(parts, 1):
        frequency: Counter[str] = Counter()
        for text, count in part:
            for word in content_words(text):
                frequency[word] += count
        leading = [word for word, _ in frequency.most_common(10)] or ["nothing"]
        name = " ".join(leading[:3])
        name = f"{name} {number}" if name in found else name
        found[name] = {
            "name": name,
            "description": "About " + ", ".join(leading) + ".",
            "keywords": [text for text, _ in part],
        }
    return list(found.values())
