from __future__ import annotations

import asyncio
import math
from typing import Any

import numpy as np
import pytest
from tests.models.fakes import MemoryCache, Reply, Server, error

from leafward.errors import BudgetExceeded, Interrupted, ModelError, ModelUnavailable, SettingsError
from leafward.models import Budget, Meter, Stop, open_embedder
from leafward.models.lexical import LexicalEmbedder
from leafward.models.openai_embedder import OpenAIEmbedder
from leafward.protocols import Embedder, Vectors
from leafward.settings import BudgetSettings, ModelSettings
from leafward.types import NO_USAGE, Usage


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(text.count("a"))]


def answer(request: dict[str, Any], **changes: Any) -> Reply:
    rows = [
        {"object": "embedding", "index": index, "embedding": vector(text)}
        for index, text in enumerate(request["input"])
    ]
    usage = {"prompt_tokens": 10 * len(rows), "total_tokens": 10 * len(rows)}
    return Reply({"object": "list", "data": rows[::-1], "model": "e", "usage": usage} | changes)


@pytest.fixture
def embedding(server: Server) -> Server:
    server.rule = answer
    return server


async def embed(embedder: Embedder, *texts: str) -> Vectors:
    return await asyncio.to_thread(embedder.embed, list(texts), role="document")


async def test_unit_rows_in_order(embedding: Server, settings: ModelSettings) -> None:
    embedder = open_embedder("openai:e", settings)
    rows = await embed(embedder, "banana", "kiwi", "banana", "")
    assert rows.dtype == np.float32
    assert rows.shape == (4, 3) == (4, embedder.dimensions)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4))
    assert rows[0] == pytest.approx(np.array(vector("banana")) / math.sqrt(36 + 1 + 9))
    assert (rows[0] == rows[2]).all()
    (request,) = embedding.requests
    assert request["input"] == ["banana", "kiwi", "-"]  # each once; empty ones are refused
    assert (request["model"], request["encoding_format"]) == ("e", "float")
    assert embedder.name == "openai:e"


async def test_dimensions_are_asked_for_where_unknown(
    embedding: Server, settings: ModelSettings
) -> None:
    embedder = open_embedder("openai:e", settings)
    assert await asyncio.to_thread(lambda: embedder.dimensions) == 3
    assert (await embed(embedder)).shape == (0, 3)
    assert len(embedding.requests) == 1


async def test_each_text_is_paid_for_once(
    embedding: Server, settings: ModelSettings, cache: MemoryCache
) -> None:
    meter = Meter()
    first = await embed(open_embedder("openai:e", settings, cache=cache), "a", "bb")
    again = open_embedder("openai:e", settings, cache=cache, meter=meter)
    rows = await embed(again, "bb", "ccc", "a")
    assert (rows[[2, 0]] == first).all()
    assert [request["input"] for request in embedding.requests] == [["a", "bb"], ["ccc"]]
    assert meter.total == Usage(1, 10, 0, 0, None, cache_hits=2)
    assert set(cache.kinds()) == {"embed"}
    stored = sum((row["usage"] for row in cache.rows.values()), NO_USAGE)
    assert (stored.calls, stored.prompt_tokens) == (2, 30)


@pytest.mark.parametrize("damage", ["", "{}", '{"f32": "AAAA"}', '{"f32": "zz!"}', "[1, 2]"])
async def test_damaged_rows_are_asked_again(
    embedding: Server, settings: ModelSettings, cache: MemoryCache, damage: str
) -> None:
    embedder = open_embedder("openai:e", settings, cache=cache)
    await embed(embedder, "a")
    for row in cache.rows.values():
        row["answer"] = damage
    await embed(embedder, "a")
    await embed(embedder, "a")
    assert len(embedding.requests) == 2


async def test_large_jobs_go_out_in_batches(embedding: Server, settings: ModelSettings) -> None:
    texts = [f"text {number}" for number in range(300)]
    rows = await embed(open_embedder("openai:e", settings), *texts)
    assert rows.shape == (300, 3)
    assert [len(request["input"]) for request in embedding.requests] == [128, 128, 44]


async def test_failures_are_tried_again_and_budgeted(
    embedding: Server, settings: ModelSettings
) -> None:
    replies = [Reply(error("slow"), 429), Reply("", fault="drop"), Reply(error("down"), 503)]

    def rule(request: dict[str, Any]) -> Reply:
        return replies.pop(0) if replies else answer(request)

    embedding.rule = rule
    priced = settings.model_copy(update={"price_prompt": 2.0})
    budget, meter = Budget(BudgetSettings(calls=3, money=1.0)), Meter()
    embedder = open_embedder("openai:e", priced, budget=budget, meter=meter)
    assert (await embed(embedder, "a")).shape == (1, 3)
    assert budget.spent == meter.total
    assert budget.spent.calls == 2  # the dropped one may have been billed
    assert budget.spent.money is not None
    assert budget.spent.money > 10 * 2.0 / 1e6
    await embed(embedder, "b")
    with pytest.raises(BudgetExceeded):
        await embed(embedder, "c")
    assert len(embedding.requests) == 5


@pytest.mark.parametrize(
    "changes",
    [
        {"data": []},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": [1e999, 0.0]}]},
        {"data": [{"index": 7, "embedding": [1.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": "AAAA"}]},
        {"data": [{"index": i, "embedding": [1.0]} for i in range(2)]},
    ],
)
async def test_answers_that_are_no_vectors(
    embedding: Server, settings: ModelSettings, changes: dict[str, Any]
) -> None:
    embedding.rule = lambda request: answer(request, **changes)
    short = settings.model_copy(update={"total_deadline": 0.1})
    with pytest.raises(ModelUnavailable) as caught:
        await embed(open_embedder("openai:e", short), "a")
    assert caught.value.billed


async def test_vectors_of_another_length_are_noticed(
    embedding: Server, settings: ModelSettings, cache: MemoryCache
) -> None:
    embedder = open_embedder("openai:e", settings, cache=cache)
    await embed(embedder, "a")
    embedding.rule = lambda request: answer(request, data=[{"index": 0, "embedding": [1.0]}])
    with pytest.raises(ModelError, match="different lengths"):
        await embed(embedder, "a", "b")


async def test_stops(embedding: Server, settings: ModelSettings) -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Interrupted):
        await embed(open_embedder("openai:e", settings, stop=stop), "a")
    assert embedding.requests == []


def test_other_embedders_are_opened_by_name() -> None:
    assert isinstance(open_embedder("lexical", ModelSettings()), LexicalEmbedder)
    opened = open_embedder("ollama:nomic", ModelSettings())
    assert isinstance(opened, OpenAIEmbedder)
    opened.close()
    with pytest.raises(SettingsError):
        open_embedder(
            "openai:e",
            ModelSettings(base_url="http://x/v1"),
            budget=Budget(BudgetSettings(money=1)),
        )
    with pytest.raises(SettingsError):
        open_embedder("nonsense", ModelSettings())
