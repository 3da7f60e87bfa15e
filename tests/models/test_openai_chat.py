from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any

import pytest
from tests.models.fakes import MemoryCache, Reply, Rule, Server, chat, error

from leafward.errors import (
    ModelError,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from leafward.models.capabilities import Capabilities
from leafward.models.failures import Unreachable
from leafward.models.openai_chat import OpenAIChat
from leafward.models.prices import Prices
from leafward.models.providers import find_endpoint
from leafward.models.worst import worst_case
from leafward.settings import ModelSettings
from leafward.types import JsonSchema, Message, Sampling, Usage

KEY = "sk-very-secret-key-1234"
PROMPT = [Message("system", "Be brief."), Message("user", "Say hello.")]
SCHEMA: JsonSchema = {"type": "object", "properties": {"x": {"type": "integer"}}}


def model(
    settings: ModelSettings, *, cache: MemoryCache | None = None, prices: Prices | None = None
) -> OpenAIChat:
    with_key = ModelSettings.model_validate(settings.model_dump() | {"api_key": KEY})
    endpoint = find_endpoint("openai:m-1", with_key)
    return OpenAIChat(endpoint, with_key, prices=prices, cache=cache)


async def failure(server: Server, settings: ModelSettings, reply: Reply) -> ModelError:
    server.answers(reply)
    chatting = model(settings)
    with pytest.raises(ModelError) as caught:
        await chatting.complete(PROMPT)
    await chatting.aclose()
    assert caught.value.hint
    assert KEY not in str(caught.value) + caught.value.hint
    return caught.value


async def test_request_and_answer(server: Server, settings: ModelSettings) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "total_tokens": 110,
        "prompt_tokens_details": {"cached_tokens": 40},
    }
    server.answers(chat("hi", usage=usage))
    chatting = model(settings, prices=Prices(1.0, 0.5, 10.0))
    sampling = Sampling(temperature=0.5, max_tokens=77, seed=3, stop=("\n",), attempt=2)
    answer = await chatting.complete(PROMPT, sampling=sampling)
    await chatting.aclose()
    assert (answer.text, answer.finish_reason) == ("hi", "stop")
    assert answer.usage == Usage(1, 100, 40, 10, (60 * 1.0 + 40 * 0.5 + 10 * 10.0) / 1e6)
    assert server.requests == [
        {
            "model": "m-1",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Say hello."},
            ],
            "max_tokens": 77,
            "temperature": 0.5,
            "seed": 5,
            "stop": ["\n"],
        }
    ]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert chatting.name == "openai:m-1"
    assert KEY not in repr(chatting) + repr(vars(chatting))


@pytest.mark.parametrize(
    ("body", "text", "reason"),
    [
        (chat('{"a', finish_reason="length"), '{"a', "length"),
        (chat(None, message={"refusal": "I will not."}), "I will not.", "refusal"),
        (chat("", finish_reason="content_filter"), "", "refusal"),
        (chat("", finish_reason="SAFETY"), "", "refusal"),
        (chat(""), "", "stop"),
        (chat(None), "", "stop"),
        (chat([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "ab", "stop"),
        (chat("x", finish_reason=None), "x", "stop"),
    ],
)
async def test_how_an_answer_ended(
    server: Server, settings: ModelSettings, body: dict[str, Any], text: str, reason: str
) -> None:
    server.answers(body)
    chatting = model(settings)
    answer = await chatting.complete(PROMPT)
    await chatting.aclose()
    assert (answer.text, answer.finish_reason) == (text, reason)
    assert answer.usage.money is None  # no price is known


BOUND = worst_case(PROMPT, None, Sampling(), None).prompt_tokens


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, (BOUND, 2)),  # bounded from above, so that a budget holds
        ({}, (BOUND, 2)),
        ({"prompt_tokens": -3, "completion_tokens": "many"}, (BOUND, 2)),
        ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 50}, (9, 41)),
        ({"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": None}, (9, 2)),
    ],
)
async def test_usage_is_read_or_bounded(
    server: Server, settings: ModelSettings, usage: Any, expected: tuple[int, int]
) -> None:
    server.answers(chat("hello", usage=usage))
    chatting = model(settings)
    spent = (await chatting.complete(PROMPT)).usage
    await chatting.aclose()
    assert (spent.calls, spent.prompt_tokens, spent.completion_tokens) == (1, *expected)


async def test_log_probabilities(server: Server, settings: ModelSettings) -> None:
    content = [
        {
            "token": "A",
            "logprob": -0.1,
            "top_logprobs": [{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": None}],
        }
    ]
    server.answers(chat("A", logprobs={"content": content}))
    chatting = model(settings)
    answer = await chatting.complete(PROMPT, sampling=Sampling(top_logprobs=5))
    await chatting.aclose()
    assert (server.requests[0]["logprobs"], server.requests[0]["top_logprobs"]) == (True, 5)
    (token,) = answer.logprobs
    assert (token.token, token.logprob, dict(token.top)) == ("A", -0.1, {"A": -0.1, "B": -9999.0})


@pytest.mark.parametrize(
    ("status", "kind", "billed", "hint"),
    [
        (400, ModelRejected, False, "will not be sent again"),
        (401, ModelRejected, False, "OPENAI_API_KEY"),
        (402, ModelRejected, False, "credit"),
        (403, ModelRejected, False, "OPENAI_API_KEY"),
        (404, ModelRejected, False, "'m-1'"),
        (408, ModelTimeout, True, ""),
        (409, ModelUnavailable, False, ""),
        (413, ModelRejected, False, "context_tokens"),
        (429, RateLimited, False, "requests_per_minute"),
        (500, ModelUnavailable, False, ""),
        (502, ModelTimeout, True, ""),
        (503, ModelUnavailable, False, ""),
        (504, ModelTimeout, True, ""),
        (529, ModelUnavailable, False, ""),
    ],
)
async def test_every_status_has_its_error(
    server: Server,
    settings: ModelSettings,
    status: int,
    kind: type[ModelError],
    billed: bool,
    hint: str,
) -> None:
    found = await failure(server, settings, Reply(error(f"no {KEY}\n\x1b[31m"), status))
    assert type(found) is kind
    assert (found.billed, found.retryable) == (billed, kind is not ModelRejected)
    assert hint in found.hint
    assert f"HTTP {status}" in str(found)
    assert "\n" not in str(found)
    assert "\x1b" not in str(found)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry-after": "7"}, 7, 7),
        ({"retry-after": "0.5"}, 0.5, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25, 0.25),
        ({"retry-after": formatdate(time.time() + 9000, usegmt=True)}, 5000, 9001),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, 0),
    ],
)
async def test_retry_after_is_read(
    server: Server, settings: ModelSettings, headers: dict[str, str], least: float, most: float
) -> None:
    for status in (429, 503):
        found = await failure(server, settings, Reply(error("slow down"), status, headers))
        assert isinstance(found, RateLimited)
        assert found.retry_after is not None
        assert least <= found.retry_after <= most


@pytest.mark.parametrize("value", ["soon", "-5", "nan", "inf", ""])
async def test_a_senseless_retry_after_is_none(
    server: Server, settings: ModelSettings, value: str
) -> None:
    found = await failure(server, settings, Reply(error("slow"), 429, {"retry-after": value}))
    assert isinstance(found, RateLimited)
    assert found.retry_after is None


async def test_an_empty_account_is_not_tried_again(server: Server, settings: ModelSettings) -> None:
    reply = Reply(error("You exceeded your current quota", code="insufficient_quota"), 429)
    found = await failure(server, settings, reply)
    assert type(found) is ModelRejected
    assert "billing" in found.hint


@pytest.mark.parametrize("fault", ["drop", "half", "stall"])
async def test_an_answer_that_was_lost_may_have_been_billed(
    server: Server, settings: ModelSettings, fault: str
) -> None:
    quick = settings.model_copy(update={"attempt_timeout": 0.3 if fault == "stall" else 5.0})
    found = await failure(server, quick, Reply(chat(), fault=fault))
    assert type(found) is ModelTimeout
    assert found.billed


async def test_what_could_not_be_sent_was_not_billed(server: Server) -> None:
    settings = ModelSettings(base_url="http://127.0.0.1:9/v1")
    found = await failure(server, settings, Reply())
    assert type(found) is Unreachable
    assert not found.billed
    assert "127.0.0.1:9" in str(found)


@pytest.mark.parametrize(
    "body",
    ["<html>Welcome</html>", "", "null", "[]", "{}", '{"choices": []}', '{"choices": [{}]}', "{"],
)
async def test_what_is_no_completion_is_an_error(
    server: Server, settings: ModelSettings, body: str
) -> None:
    found = await failure(server, settings, Reply(body))
    assert isinstance(found, ModelUnavailable | ModelRejected)
    assert found.billed
    assert "base_url" in found.hint or "/v1" in found.hint


async def test_an_error_in_a_good_status_is_an_error(
    server: Server, settings: ModelSettings
) -> None:
    found = await failure(server, settings, Reply(error("upstream is busy", code=429)))
    assert type(found) is RateLimited


async def test_a_filtered_prompt_is_a_refusal(server: Server, settings: ModelSettings) -> None:
    server.answers(Reply(error("filtered", code="content_filter"), 400))
    chatting = model(settings)
    answer = await chatting.complete(PROMPT)
    await chatting.aclose()
    assert (answer.text, answer.finish_reason, answer.usage.calls) == ("", "refusal", 1)


async def test_lone_surrogates_are_sent_as_question_marks(
    server: Server, settings: ModelSettings
) -> None:
    chatting = model(settings)
    await chatting.complete([Message("user", "bad \ud800 text")])
    await chatting.aclose()
    assert server.requests[0]["messages"][0]["content"] == "bad ? text"


def provider(**refused: str) -> Rule:
    """A provider that turns requests away that hold certain fields, with a message for each."""

    def rule(request: dict[str, Any]) -> Reply:
        kind = request.get("response_format", {}).get("type")
        for field, message in refused.items():
            if field in request or field == kind:
                return Reply(error(message), 400)
        return Reply(chat('{"x": 1}'))

    return rule


REASONING = provider(
    max_tokens="Unsupported parameter: 'max_tokens' is not supported with this model."
    " Use 'max_completion_tokens' instead.",
    temperature="Unsupported value: 'temperature' does not support 0 with this model.",
    seed='Invalid JSON payload received. Unknown name "seed": Cannot find field.',
)
PLAIN = provider(
    json_schema="This response_format type is unavailable now",
    json_object="response_format: extra fields not permitted",
)


@pytest.mark.parametrize(
    ("rule", "learned", "calls"),
    [
        (provider(), Capabilities(), 1),
        (REASONING, Capabilities("json_schema", "max_completion_tokens", False, False), 4),
        (provider(json_schema="Unknown json_schema"), Capabilities("json_object"), 2),
        (PLAIN, Capabilities("prompt"), 3),
    ],
)
async def test_what_a_model_takes_is_found_out_once_and_remembered(
    server: Server,
    settings: ModelSettings,
    cache: MemoryCache,
    rule: Rule,
    learned: Capabilities,
    calls: int,
) -> None:
    server.rule = rule
    first = model(settings, cache=cache)
    answer = await first.complete(PROMPT, schema=SCHEMA)
    assert (answer.text, first.capabilities, len(server.requests)) == ('{"x": 1}', learned, calls)
    await first.complete(PROMPT, schema=SCHEMA)
    await first.aclose()
    assert len(server.requests) == calls + 1
    later = model(settings, cache=cache)  # another process with the same index
    assert later.capabilities == learned
    await later.complete(PROMPT, schema=SCHEMA)
    await later.aclose()
    assert len(server.requests) == calls + 2


async def test_each_way_of_asking_for_json(server: Server, settings: ModelSettings) -> None:
    server.rule = PLAIN
    chatting = model(settings)
    await chatting.complete(PROMPT, schema=SCHEMA)
    await chatting.aclose()
    enforced, any_json, asked = server.requests
    strict = {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    }
    assert enforced["response_format"]["json_schema"]["schema"] == strict
    assert enforced["response_format"]["json_schema"]["strict"] is True
    assert "JSON" not in enforced["messages"][0]["content"]
    assert any_json["response_format"] == {"type": "json_object"}
    assert "response_format" not in asked
    for request in (any_json, asked):
        system, user = request["messages"]
        assert '"properties":{"x":{"type":"integer"}}' in system["content"]
        assert user["content"] == "Say hello."


async def test_one_bad_schema_does_not_change_what_is_known_of_the_model(
    server: Server, settings: ModelSettings
) -> None:
    server.rule = provider(json_schema="Invalid schema for response_format 'answer'")
    chatting = model(settings)
    assert (await chatting.complete(PROMPT, schema=SCHEMA)).text == '{"x": 1}'
    await chatting.aclose()
    assert chatting.capabilities == Capabilities()


async def test_a_provider_that_is_never_content_is_left_in_peace(
    server: Server, settings: ModelSettings
) -> None:
    message = "Unsupported: max_tokens, max_completion_tokens"
    server.answers(Reply(error(message), 400))
    chatting = model(settings)
    with pytest.raises(ModelRejected):
        await chatting.complete(PROMPT)
    await chatting.aclose()
    assert len(server.requests) <= 7
