"""Fixtures of the model tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.models.fakes import MemoryCache, Server

from leafward.settings import ModelSettings


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    served = Server()
    listener = await asyncio.start_server(served.handle, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    async with listener:
        yield served


@pytest.fixture
def settings(server: Server) -> ModelSettings:
    return ModelSettings(base_url=server.url, retry_wait=0.0, attempt_timeout=5.0)


@pytest.fixture
def cache() -> MemoryCache:
    return MemoryCache()
