"""Every endpoint as the openai client sees it."""

from __future__ import annotations

import asyncio
import json
import math
import urllib.request
from collections.abc import Callable

import openai
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

from leafward.testing import ChatRequest, Reply, ScriptedServer, Stats, rules
from leafward.testing.words import count_tokens

MakeClient = Callable[[ScriptedServer], AsyncOpenAI]
HELLO = rules.canned({"": "Hello there, how are you?"})
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}


async def say(client: AsyncOpenAI, text: str, **options: object) -> ChatCompletion:
    answer = await client.chat.completions.create(
        model="any",
        messages=[{"role": "user", "content": text}],
        **options,  # type: ignore[call-overload]
    )
    assert isinstance(answer, ChatCompletion)
    return answer


def formatted(name: str = "query", schema: object = SCHEMA, strict: bool = True) -> object:
    wrapper = {"name": name, "schema": schema, "strict": strict}
    return {"type": "json_schema", "json_schema": wrapper}


async def test_chat_answers_and_bills_the_real_text(connect: MakeClient) -> None:
    async with ScriptedServer(rules=[HELLO]) as server:
        answer = await say(connect(server), "Say hello.")
    assert answer.choices[0].message.content == "Hello there, how are you?"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.completion_tokens == count_tokens("Hello there, how are you?") == 7
    assert answer.usage.prompt_tokens == count_tokens("Say hello.") + 7
    stats = server.stats()
    assert (stats.requests, stats.answered, stats.in_flight) == (1, 1, 0)
    assert stats.tokens == answer.usage.total_tokens


async def test_prompts_with_a_common_beginning_are_cached(connect: MakeClient) -> None:
    beginning = "The same long instruction again and again. " * 40
    async with ScriptedServer(rules=[HELLO]) as server:
        client = connect(server)
        first = await say(client, beginning + "First question?")
        second = await say(client, beginning + "Second question?")
        other = await say(client, "Other. " + beginning)
    cached = []
    for answer in (first, second, other):
        assert answer.usage and answer.usage.prompt_tokens_details
        cached.append(answer.usage.prompt_tokens_details.cached_tokens)
    assert cached[0] == cached[2] == 0
    assert count_tokens(beginning) - 64 <= (cached[1] or 0) <= count_tokens(beginning)
    assert server.stats().kinds["other"].cached_tokens == cached[1]


async def test_answers_end_at_max_tokens(connect: MakeClient) -> None:
    async with ScriptedServer(rules=[HELLO]) as server:
        client = connect(server)
        short = await say(client, "Hello?", max_tokens=3)
        newer = await say(client, "Hello?", max_completion_tokens=2)
    assert short.choices[0].message.content == "Hello there,"
    assert short.choices[0].finish_reason == "length"
    assert short.usage and short.usage.completion_tokens == 3
    assert newer.usage and newer.usage.completion_tokens == 2


async def test_kind_and_schema_reach_the_rule(connect: MakeClient) -> None:
    seen: list[ChatRequest] = []

    def rule(request: ChatRequest) -> Reply:
        seen.append(request)
        return Reply.json({"query": "q"})

    async with ScriptedServer(rules=[rule]) as server:
        client = connect(server)
        await say(client, "x", response_format=formatted())
        await say(client, "x", response_format=formatted("Anything"))
        await say(client, f"as JSON: {json.dumps(SCHEMA)}", response_format={"type": "json_object"})
        await say(client, "x", logprobs=True, top_logprobs=5)
        await say(client, "x")
    assert [request.kind for request in seen] == ["query", "query", "query", "letters", "other"]
    assert seen[0].schema == SCHEMA
    assert [request.attempt for request in seen] == [0, 1, 0, 2, 3]


@pytest.mark.parametrize(
    ("formats", "wanted", "text", "complaint"),
    [
        ("object", formatted(), "x", "'json_schema' is not supported"),
        ("none", {"type": "json_object"}, "json", "'json_object' is not supported"),
        ("schema", {"type": "json_object"}, "x", "must contain the word 'json'"),
        ("schema", formatted(schema={"properties": {}}), "x", "additionalProperties"),
        ("schema", formatted(schema=SCHEMA | {"required": []}), "x", "Missing ['query']"),
    ],
)
async def test_formats_are_rejected_as_real_servers_do(
    connect: MakeClient, formats: str, wanted: object, text: str, complaint: str
) -> None:
    async with ScriptedServer(rules=[HELLO], formats=formats) as server:
        with pytest.raises(openai.BadRequestError) as caught:
            await say(connect(server), text, response_format=wanted)
    assert complaint in str(caught.value)
    assert caught.value.param == ("messages" if "word" in complaint else "response_format")
    stats = server.stats()
    assert (stats.kinds[next(iter(stats.kinds))].rejected, stats.paid_calls) == (1, 0)


async def test_a_schema_that_is_not_strict_may_be_open(connect: MakeClient) -> None:
    async with ScriptedServer(rules=[HELLO]) as server:
        wanted = formatted(schema={"properties": {"query": {}}}, strict=False)
        answer = await say(connect(server), "x", response_format=wanted)
    assert answer.choices[0].message.content


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"stream": True}, "does not stream"),
        ({"n": 2}, "n=1"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"top_logprobs": 3}, "set 'logprobs'"),
        ({"logprobs": True, "top_logprobs": 21}, "between 0 and 20"),
        ({"max_tokens": 500}, "maximum context length is 100"),
    ],
)
async def test_options_that_are_refused(
    connect: MakeClient, options: dict[str, object], complaint: str
) -> None:
    async with ScriptedServer(rules=[HELLO], context_tokens=100) as server:
        with pytest.raises(openai.BadRequestError, match=complaint):
            await say(connect(server), "x", **options)


async def test_keys_models_and_unknown_paths(connect: MakeClient) -> None:
    async with ScriptedServer(rules=[HELLO], models=["good"], api_key="secret") as server:
        client = connect(server)
        assert [model.id async for model in client.models.list()] == ["good"]
        assert (await client.models.retrieve("good")).id == "good"
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("bad")
        with pytest.raises(openai.NotFoundError, match="does not exist"):
            await say(client, "x")
        with pytest.raises(openai.AuthenticationError):
            await say(client.with_options(api_key="wrong"), "x")
        with pytest.raises(openai.NotFoundError, match="Unknown request URL"):
            await client.get("/files", cast_to=object)
        with pytest.raises(openai.APIStatusError) as caught:
            await client.get("/embeddings", cast_to=object)
        assert caught.value.status_code == 405


async def test_no_rule_is_an_error_that_is_not_tried_again(connect: MakeClient) -> None:
    async with ScriptedServer() as server:
        with pytest.raises(openai.UnprocessableEntityError, match="No rule"):
            await say(connect(server), "x")


async def test_a_rule_that_raises_is_recorded(connect: MakeClient) -> None:
    def broken(request: ChatRequest) -> Reply:
        raise KeyError("lost")

    async with ScriptedServer(rules=[broken]) as server:
        with pytest.raises(openai.InternalServerError, match="KeyError"):
            await say(connect(server), "x")
        server.change(rules=[HELLO])
        await say(connect(server), "x")
    stats = server.stats()
    assert "KeyError: 'lost'" in stats.errors[0]
    assert (stats.answered, stats.kinds["other"].rejected) == (1, 1)


async def test_embeddings_are_unit_and_similar_for_similar_texts(connect: MakeClient) -> None:
    texts = ["cells divide slowly", "cells divide quickly", "tax law in France"]
    async with ScriptedServer(dimensions=128) as server:
        client = connect(server)
        packed = await client.embeddings.create(model="any", input=texts)
        plain = await client.embeddings.create(model="any", input=texts, encoding_format="float")
        short = await client.embeddings.create(model="any", input=texts[0], dimensions=8)
        with pytest.raises(openai.BadRequestError, match="not empty"):
            await client.embeddings.create(model="any", input=["a", ""])
    rows = [item.embedding for item in packed.data]
    assert rows == [item.embedding for item in plain.data]
    assert all(math.isclose(math.fsum(x * x for x in row), 1, abs_tol=1e-5) for row in rows)
    near, far = (sum(a * b for a, b in zip(rows[0], row, strict=True)) for row in rows[1:])
    assert near > 0.5 > far
    assert (len(rows[0]), len(short.data[0].embedding)) == (128, 8)
    assert packed.usage.prompt_tokens == sum(map(count_tokens, texts))
    counts = server.stats().kinds["embeddings"]
    assert (counts.requests, counts.answered, counts.rejected) == (4, 3, 1)


async def test_logprobs_are_the_rules_distribution(connect: MakeClient) -> None:
    reply = Reply("B", distributions=({"A": -2.0, "B": -0.2, "C": -3.0},))
    async with ScriptedServer(rules=[lambda request: reply, HELLO]) as server:
        client = connect(server)
        answer = await say(client, "A or B?", logprobs=True, top_logprobs=2, max_tokens=1)
        server.change(rules=[HELLO])
        certain = await say(client, "Hello?", logprobs=True, max_tokens=2)
    logprobs = answer.choices[0].logprobs
    assert logprobs and logprobs.content
    assert logprobs.content[0].token == "B" and logprobs.content[0].logprob == -0.2
    top = [(entry.token, entry.logprob) for entry in logprobs.content[0].top_logprobs]
    assert top == [("B", -0.2), ("A", -2.0)]
    logprobs = certain.choices[0].logprobs
    assert logprobs and [entry.token for entry in logprobs.content or ()] == ["Hello", " there"]


async def test_stats_endpoint_tells_what_stats_tells(connect: MakeClient) -> None:
    async with ScriptedServer(rules=[HELLO]) as server:
        client = connect(server)
        await say(client, "one")
        await say(client, "two")
        await say(client, "two")
        url = server.base_url.replace("/v1", "/stats")
        told = await asyncio.to_thread(lambda: json.load(urllib.request.urlopen(url)))
        assert Stats.from_json(told) == server.stats()
    assert sorted(told["prompts"].values()) == [1, 2]
    assert (told["paid_calls"], told["paid_twice"], told["requests"]) == (3, 1, 3)
    server.reset()
    assert server.stats() == Stats()


async def test_one_request_gets_the_same_bytes_in_every_run(connect: MakeClient) -> None:
    answers = []
    for _ in range(2):
        async with ScriptedServer(rules=[HELLO]) as server:
            answers.append((await say(connect(server), "Hello?")).model_dump_json())
    assert answers[0] == answers[1]
