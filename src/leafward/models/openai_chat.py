"""One attempt at a chat completion, over the openai SDK, at any compatible endpoint."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from leafward.models.capabilities import Capabilities, Remembered, adapt
from leafward.models.deadline import attempt_seconds
from leafward.models.failures import (
    complaint,
    lost_answer,
    status_error,
    translate,
    unreadable,
)
from leafward.models.openai_reply import read_reply, to_completion
from leafward.models.prices import Prices, with_money
from leafward.models.providers import Endpoint
from leafward.models.schemas import response_format, with_schema_in_prompt
from leafward.models.worst import worst_case
from leafward.protocols import DEFAULT_SAMPLING, CallCache
from leafward.remote.per_loop import PerLoop
from leafward.settings import ModelSettings
from leafward.types import Completion, JsonSchema, Message, Sampling, Usage

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI, Timeout

_ADAPTABLE = {400, 404, 415, 422, 501}
_CONNECT_TIMEOUT = 10.0  # seconds
_FILTERED = re.compile(r"content_filter|content management policy|prohibited_content", re.I)


class OpenAIChat:
    """A model behind OpenAI's chat-completions protocol; one attempt a call, no retries.

    A request that is turned away because of a parameter that the endpoint does not know is sent
    again without it at once (such requests are not billed); what was learned is remembered.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        settings: ModelSettings,
        *,
        prices: Prices | None = None,
        cache: CallCache | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._prices = prices
        self._client = PerLoop(self._connect)
        self._abilities = Remembered(
            endpoint.start, base_url=endpoint.public_url, model=endpoint.model, cache=cache
        )

    @property
    def name(self) -> str:
        return self._endpoint.spec

    @property
    def context_tokens(self) -> int:
        return self._settings.context_tokens

    @property
    def capabilities(self) -> Capabilities:
        """What the endpoint is known to understand so far."""
        return self._abilities.current

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        """Answer once, as :meth:`ChatModel.complete` says, in one attempt."""
        worst = worst_case(messages, schema, sampling, None)
        known = abilities = self._abilities.current
        lasting = True
        while True:
            outcome = await self._post(self._request(messages, schema, sampling, abilities))
            if isinstance(outcome, str):
                if lasting:
                    self._abilities.learn(known, abilities)
                return self._read(outcome, worst)
            words = complaint(outcome, self._endpoint)
            if _status(outcome) in _ADAPTABLE and _FILTERED.search(words):
                return self._filtered(worst)
            change = adapt(known, abilities, words, with_schema=schema is not None)
            if change is None or _status(outcome) not in _ADAPTABLE:
                raise translate(outcome, self._endpoint)
            abilities, lasting = change.capabilities, lasting and change.lasting

    async def aclose(self) -> None:
        """Close the connections."""
        client = self._client.pop()
        if client is not None:
            await client.close()

    def _request(
        self,
        messages: Sequence[Message],
        schema: JsonSchema | None,
        sampling: Sampling,
        abilities: Capabilities,
    ) -> dict[str, Any]:
        if schema is not None and abilities.output != "json_schema":
            messages = with_schema_in_prompt(messages, schema)
        request: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": [
                {"role": each.role, "content": sendable(each.content)} for each in messages
            ],
            abilities.limit_field: sampling.max_tokens,
        }
        if schema is not None and abilities.output == "json_schema":
            request["response_format"] = response_format(schema)
        elif schema is not None and abilities.output == "json_object":
            request["response_format"] = {"type": "json_object"}
        return request | _sampling_fields(sampling, abilities)

    async def _post(self, request: dict[str, Any]) -> str | APIError:
        """The body of the answer, or the SDK's error as a value.

        Raises:
            ModelTimeout: no answer in time.
        """
        import openai

        create = self._client.get().chat.completions.with_raw_response.create
        try:
            async with asyncio.timeout(attempt_seconds(self._settings)):
                body: str = (await create(**request)).text
                return body
        except openai.APIError as error:
            return error
        except TimeoutError:
            pass  # raised below, outside of the SDK's context
        raise lost_answer(self._endpoint, "no answer in time")

    def _read(self, body: str, worst: Usage) -> Completion:
        reply = read_reply(body)
        if reply is None:
            raise unreadable(self._endpoint, _looks_like(body))
        if reply.choices:
            completion = to_completion(reply, worst)
            return replace(completion, usage=with_money(completion.usage, self._prices))
        if isinstance(reply.error, dict):  # OpenRouter reports upstream errors with status 200
            code = reply.error.get("code")
            words = self._endpoint.redact(str(reply.error.get("message", "")))
            raise status_error(code if isinstance(code, int) else 502, words, self._endpoint, {})
        raise unreadable(self._endpoint, "no choices")

    def _filtered(self, worst: Usage) -> Completion:
        """A provider's filter turned the prompt away; it may have been billed for reading it."""
        usage = with_money(replace(worst, completion_tokens=0), self._prices)
        return Completion("", usage, "refusal")

    def _connect(self) -> AsyncOpenAI:
        import openai

        return openai.AsyncOpenAI(
            api_key=self._endpoint.api_key.get_secret_value(),
            base_url=self._endpoint.base_url,
            max_retries=0,
            timeout=sdk_timeout(self._settings.attempt_timeout),
        )


def sdk_timeout(seconds: float) -> Timeout:
    """Timeouts of the transport; connecting is cut short, so that it is known to be unbilled."""
    import openai

    return openai.Timeout(seconds, connect=min(_CONNECT_TIMEOUT, seconds / 2))


def sendable(text: str) -> str:
    """A text that UTF-8 can carry: lone surrogates, which bad PDFs hold, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _sampling_fields(sampling: Sampling, abilities: Capabilities) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if abilities.temperature:
        fields["temperature"] = sampling.temperature
    if abilities.seed and sampling.seed is not None:
        fields["seed"] = sampling.seed + sampling.attempt  # a re-ask must be able to differ
    if sampling.stop:
        fields["stop"] = list(sampling.stop)
    if sampling.top_logprobs > 0:
        fields |= {"logprobs": True, "top_logprobs": sampling.top_logprobs}
    return fields


def _status(error: APIError) -> int | None:
    return getattr(error, "status_code", None)


def _looks_like(body: str) -> str:
    return "a web page" if body.lstrip().startswith("<") else "not a chat completion"
