"""Many requests at once, caps, and clients that go away."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import openai
import pytest
from openai import AsyncOpenAI

from leafward.testing import Constant, ScriptedServer, Stats, Uniform, rules

MakeClient = Callable[[ScriptedServer], AsyncOpenAI]
HELLO = rules.canned({"": "Hello."})


async def ask(client: AsyncOpenAI, text: str) -> None:
    await client.chat.completions.create(model="any", messages=[{"role": "user", "content": text}])


def until(server: ScriptedServer, true: Callable[[Stats], bool]) -> Stats:
    """Poll the counts; the deadline only bounds a test that has failed."""
    deadline = time.monotonic() + 20
    while not true(server.stats()) and time.monotonic() < deadline:
        time.sleep(0.005)
    return server.stats()


def raw(server: ScriptedServer, text: str = "x") -> socket.socket:
    """A connection on which one chat request has been sent."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    place = urlsplit(server.base_url)
    connection = socket.create_connection((place.hostname or "", place.port or 0), timeout=20)
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    return connection


def test_forty_connections_at_once() -> None:
    with ScriptedServer(rules=[HELLO], latency=Constant(30.0)) as server:
        connections = [raw(server, f"question {n}") for n in range(40)]
        assert server.wait(40)
        assert server.stats().in_flight == server.stats().peak_in_flight == 40
        for connection in connections:
            connection.close()


async def test_many_requests_over_kept_connections(connect: MakeClient) -> None:
    async with ScriptedServer(rules=[HELLO], latency=Uniform(0.0, 0.01)) as server:
        client = connect(server)
        await asyncio.gather(*(ask(client, f"question {n}") for n in range(100)))
    stats = server.stats()
    assert (stats.requests, stats.answered, stats.paid_twice) == (100, 100, 0)
    assert stats.in_flight == 0 < stats.peak_in_flight


def test_slots_cap_what_is_worked_on() -> None:
    with ScriptedServer(rules=[HELLO], slots=3, latency=Constant(30.0)) as server:
        connections = [raw(server, f"q{n}") for n in range(5)]
        assert server.wait(5)
        stats = until(server, lambda stats: stats.paid_calls == 3)
        assert (stats.in_flight, stats.paid_calls) == (5, 3)
        connections[0].close()
        stats = until(server, lambda stats: stats.paid_calls == 4)
        assert (stats.in_flight, stats.paid_calls) == (4, 4)
        for connection in connections:
            connection.close()


async def test_one_more_than_the_slots_can_be_turned_away(connect: MakeClient) -> None:
    slow = Constant(30.0)
    async with ScriptedServer(rules=[HELLO], slots=1, overflow="reject", latency=slow) as server:
        with raw(server):
            assert await asyncio.to_thread(server.wait, 1)
            with pytest.raises(openai.RateLimitError):
                await ask(connect(server), "second")
    assert server.stats().kinds["other"].rejected == 1


def test_a_client_that_goes_away_has_paid() -> None:
    with ScriptedServer(rules=[HELLO], latency=Constant(30.0)) as server:
        connection = raw(server)
        assert server.wait(1)
        assert server.stats().in_flight == 1
        connection.close()
        stats = until(server, lambda stats: stats.in_flight == 0)
    assert (stats.lost, stats.answered, stats.paid_calls) == (1, 0, 1)
    assert stats.lost_tokens == stats.tokens > 0


def test_stopping_answers_nobody_and_leaves_nothing_behind() -> None:
    server = ScriptedServer(rules=[HELLO], latency=Constant(30.0))
    with server, raw(server):
        assert server.wait(1)
    assert (server.stats().lost, server.stats().in_flight) == (1, 0)
    assert "scripted-server" not in [thread.name for thread in threading.enumerate()]
    server.stop()


def test_a_taken_port_is_an_error_at_once() -> None:
    with ScriptedServer() as server:
        port = urlsplit(server.base_url).port
        with pytest.raises(OSError, match="in use"):
            ScriptedServer(port=port or 0).start()


def test_waiting_in_vain_says_so() -> None:
    with ScriptedServer() as server:
        assert not server.wait(1, timeout=0.01)
