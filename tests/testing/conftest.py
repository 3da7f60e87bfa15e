"""A client of the scripted server, and prompts of the kinds that Leafward makes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from leafward.testing import ChatRequest, ScriptedProcess, ScriptedServer

MakeClient = Callable[[ScriptedServer | ScriptedProcess], AsyncOpenAI]


@pytest.fixture
async def connect() -> AsyncIterator[MakeClient]:
    """Makes clients without retries, and closes them after the test."""
    clients: list[AsyncOpenAI] = []

    def make(server: ScriptedServer | ScriptedProcess) -> AsyncOpenAI:
        client = AsyncOpenAI(
            base_url=server.base_url,
            api_key="secret",
            max_retries=0,
            timeout=20.0,
            http_client=DefaultAsyncHttpxClient(verify=False),  # spares reading certificates
        )
        clients.append(client)
        return client

    yield make
    for client in clients:
        await client.close()


@pytest.fixture
def request_of() -> Callable[..., ChatRequest]:
    """Makes a request of a kind, with its schema's name and a prompt."""

    def make(kind: str, prompt: str, **body: Any) -> ChatRequest:
        wanted: Mapping[str, Any] = {
            "type": "json_schema",
            "json_schema": {"name": kind, "schema": {"type": "object"}},
        }
        return ChatRequest("m", (("user", prompt),), {"response_format": wanted} | body)

    return make


@pytest.fixture
def answer_of() -> Callable[..., Any]:
    """The JSON that a rule answers a request with."""

    def answer(rule: Callable[[ChatRequest], Any], request: ChatRequest) -> Any:
        return json.loads(rule(request).text)

    return answer
