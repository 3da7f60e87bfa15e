"""Models and embedders of the builders' tests: sensible, or as bad as a seed makes them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from leafward.protocols import DEFAULT_SAMPLING, Vectors
from leafward.types import Completion, Document, JsonSchema, Message, MetaValue, Sampling, Usage

Answer = Callable[[str, str], str]
"""Schema title and user turn to answer text."""

_TERMS = """
    enzyme kinase neuron cortex tumor receptor plasma lipid protein genome virus vaccine insulin
    glucose artery stroke bone muscle retina lung kidney liver mitosis allele codon
"""
WORDS = _TERMS.split()


class FakeChat:
    """Answers by a function; keeps what it was asked."""

    name = "fake:chat"

    def __init__(self, answer: Answer, *, context_tokens: int = 32_768) -> None:
        self.context_tokens = context_tokens
        self.asked: list[tuple[str, str]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._answer = answer

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        kind, user = str((schema or {}).get("title", "")), messages[-1].content
        self.asked.append((kind, user))
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        await asyncio.sleep(0)
        self._at_once -= 1
        return Completion(self._answer(kind, user), Usage(1, len(user) // 4, 0, 100))

    def count(self, kind: str) -> int:
        return sum(asked == kind for asked, _ in self.asked)


class FakeEmbedder:
    """Hashed bags of words: texts that share words are near each other."""

    name = "fake:embedder"
    dimensions = 32

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, role: Literal["query", "document"]) -> Vectors:
        self.texts += texts
        rows = [
            sum((_direction(word) for word in text.lower().split()), _direction(""))
            for text in texts
        ]
        vectors = np.asarray(rows, np.float32).reshape(len(texts), self.dimensions)
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


@lru_cache
def _direction(word: str) -> Any:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big")
    return np.random.default_rng(seed).normal(size=FakeEmbedder.dimensions)


def corpus(count: int, *, seed: int = 0, sources: int = 0) -> list[Document]:
    """Documents of random words, with ``sources`` > 0 cut from that many longer ones."""
    rng = random.Random(seed)
    documents = []
    for number in range(count):
        words = rng.sample(WORDS, 6)
        metadata: dict[str, MetaValue] = {}
        if sources:
            metadata = {"source": f"article {number % sources}", "position": number}
        text = f"The {words[0]} {words[1]} acts on {words[2]} and {words[3]} in the {words[4]}."
        documents.append(Document(f"d{number}", text, f"{words[0]} {number}", metadata))
    return documents


def passages(user: str) -> list[dict[str, Any]]:
    """The passages of a summary prompt."""
    return [json.loads(line) for line in user.splitlines() if line.startswith('{"id"')]


def keywords(user: str) -> list[tuple[str, int]]:
    """The keywords of a clustering prompt, with their counts."""
    found = re.findall(r'^(".*") \((\d+)\)$', user, re.MULTILINE)
    return [(json.loads(text), int(count)) for text, count in found]


def sensible(kind: str, user: str) -> str:
    """What a good model does: summaries of the passage's words, clusters by first word."""
    if kind == "summaries":
        return json.dumps({"passages": [_summaries(passage) for passage in passages(user)]})
    if kind == "clusters":
        return json.dumps({"clusters": by_word(user)})
    words = re.findall(r"\w+", user.split("Members of the group:")[-1])
    return json.dumps({"name": " ".join(words[1:3]), "description": " ".join(words[:12])})


def _summaries(passage: dict[str, Any]) -> dict[str, Any]:
    words = re.findall(r"[a-z]{4,}", passage["text"].lower()) or ["blank"]
    title = passage.get("title", "untitled")
    levels = [words[0], " ".join(words[:3]), f"{title} " + " ".join(words[:3])]
    levels += [f"{title} about " + " ".join(words[:6]), f"{title} says " + " ".join(words[:14])]
    return {"id": passage["id"], "summaries": levels}


def by_word(user: str) -> list[dict[str, Any]]:
    """Clusters of the prompt's keywords, in order, of equal size."""
    entries = sorted(text for text, _ in keywords(user))
    bounds = re.search(r"into (\d+) to (\d+) clusters", user)
    fewest, most = map(int, bounds.groups()) if bounds else (2, 4)
    parts = max(fewest, min(most, round(len(entries) ** 0.5)))
    size = -(-len(entries) // parts)
    chunks = [entries[lo : lo + size] for lo in range(0, len(entries), size)]
    return [
        {"name": f"about {chunk[0]}", "description": f"things like {chunk[-1]}", "keywords": chunk}
        for chunk in chunks
    ]


def adversary(seed: int) -> Answer:
    """A model that does something else wrong for every prompt, the same for the same prompt."""

    def answer(kind: str, user: str) -> str:
        rng = random.Random(f"{seed} {kind} {user}")
        if rng.random() < 0.25:
            return rng.choice(GARBAGE)
        if kind == "clusters":
            return json.dumps({"clusters": rng.choice(SPLITS)(user, rng)})
        text = sensible(kind, user)
        return text[: int(len(text) * rng.random())] if rng.random() < 0.3 else _spoiled(text, rng)

    return answer


def _spoiled(text: str, rng: random.Random) -> str:
    value = json.loads(text)
    if "passages" in value:
        for passage in value["passages"]:
            if rng.random() < 0.3:
                passage.update(rng.choice(BAD_PASSAGES))
        rng.shuffle(value["passages"])
    elif rng.random() < 0.3:
        value["name"] = rng.choice(["", "…", "\x1b[31mred", "x" * 5_000])
    return json.dumps(value)


GARBAGE = ("", "no", "{", "[]", "{}", '{"clusters": []}', '{"clusters": 3}', "null", "\x00" * 9)
BAD_PASSAGES: tuple[dict[str, Any], ...] = (
    {"id": 999},
    {"id": 1},
    {"id": "two"},
    {"summaries": ["only", "four", "of", "them"]},
    {"summaries": ["", " ", "…", "x", "y"]},
    {"summaries": ["many words " * 40] * 5},
    {"summaries": None},
)


def _one(user: str, rng: random.Random) -> list[dict[str, Any]]:
    return [_cluster("all", [text for text, _ in keywords(user)])]


def _chain(user: str, rng: random.Random) -> list[dict[str, Any]]:
    """As unbalanced as the share rule allows."""
    texts = [text for text, _ in keywords(user)]
    cut = max(1, len(texts) // 8)
    return [_cluster("few", texts[:cut]), _cluster("most", texts[cut:])]


def _singles(user: str, rng: random.Random) -> list[dict[str, Any]]:
    return [_cluster(f"c{n}", [text]) for n, (text, _) in enumerate(keywords(user))]


def _forgetful(user: str, rng: random.Random) -> list[dict[str, Any]]:
    kept = [text for text, _ in keywords(user) if rng.random() < 0.3]
    return [_cluster("a", kept[::2]), _cluster("b", kept[1::2]), _cluster("empty", [])]


def _inventive(user: str, rng: random.Random) -> list[dict[str, Any]]:
    lines = [f"{text.upper()}  ({count})" for text, count in keywords(user)]
    half = len(lines) // 2
    return [_cluster("a", [*lines[:half], "never seen"]), _cluster("b", [*lines[half:], *lines])]


def _cluster(name: str, texts: list[str]) -> dict[str, Any]:
    return {"name": name, "description": f"{len(texts)} keywords", "keywords": texts}


def _sensible(user: str, rng: random.Random) -> list[dict[str, Any]]:
    return by_word(user)


SPLITS = (_one, _chain, _singles, _forgetful, _inventive, _sensible)
