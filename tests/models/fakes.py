"""A loopback server, a cache, a clock and a model that do as a test tells them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from leafward.protocols import DEFAULT_SAMPLING
from leafward.types import Completion, JsonSchema, Message, Sampling, Usage


@dataclass
class Reply:
    """What the server sends: a status with a body, or a fault instead."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    fault: str = ""  # "drop", "half" or "stall"


def chat(content: Any = "hello", **changes: Any) -> dict[str, Any]:
    """A chat completion; ``changes`` go to the choice, ``usage`` to the top."""
    usage = changes.pop("usage", {"prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24})
    message = {"role": "assistant", "content": content} | changes.pop("message", {})
    choice = {"index": 0, "finish_reason": "stop", "message": message} | changes
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    return body | ({"usage": usage} if usage is not None else {})


def error(message: str, **details: Any) -> dict[str, Any]:
    return {"error": {"message": message} | details}


Rule = Callable[[dict[str, Any]], Reply]


class Server:
    """Speaks as much HTTP as the SDK needs; remembers every request."""

    def __init__(self) -> None:
        self.rule: Rule = lambda request: Reply(chat())
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.before: Callable[[], Awaitable[None]] | None = None
        self.url = ""

    def answers(self, *replies: Reply | dict[str, Any]) -> None:
        """Send these one after the other, the last one again and again."""
        queue = [reply if isinstance(reply, Reply) else Reply(reply) for reply in replies]
        self.rule = lambda request: queue.pop(0) if len(queue) > 1 else queue[0]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._exchange(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away, which some tests want
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:])}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.paths.append(head[0].split()[1])
        self.headers.append(headers)
        self.requests.append(json.loads(body))
        if self.before is not None:
            await self.before()
        reply = self.rule(self.requests[-1])
        if reply.fault == "drop":
            return
        if reply.fault == "stall":
            await reader.read()  # until the client gives up
            return
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        data = text.encode()
        lines = [f"HTTP/1.1 {reply.status} X", "content-type: application/json"]
        lines += [f"{name}: {value}" for name, value in reply.headers.items()]
        lines += [f"content-length: {len(data)}", "connection: close", "", ""]
        writer.write("\r\n".join(lines).encode())
        writer.write(data[: len(data) // 2] if reply.fault == "half" else data)
        await writer.drain()


class MemoryCache:
    """A CallCache in memory that keeps the first answer to a key, as the store does."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}

    def get(self, key: str) -> str | None:
        row = self.rows.get(key)
        return None if row is None else row["answer"]

    def put(
        self, key: str, *, kind: str, model: str, request: str, answer: str, usage: Usage
    ) -> None:
        row = {"kind": kind, "model": model, "request": request, "answer": answer, "usage": usage}
        self.rows.setdefault(key, row)

    def kinds(self) -> list[str]:
        return [row["kind"] for row in self.rows.values()]


class FakeClock:
    """Time that passes only where something sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


Behaviour = Callable[[Sequence[Message], Sampling], Awaitable[Completion]]


class FakeModel:
    """A chat model that does what a test says, and counts."""

    name = "fake:model"
    context_tokens = 8000

    def __init__(self, *outcomes: Completion | Exception) -> None:
        self.outcomes = list(outcomes)
        self.calls = 0
        self.running = 0
        self.peak = 0
        self.closed = False
        self.began = asyncio.Event()
        self.behaviour: Behaviour | None = None

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        sampling: Sampling = DEFAULT_SAMPLING,
    ) -> Completion:
        self.calls += 1
        self.running += 1
        self.began.set()
        self.peak = max(self.peak, self.running)
        try:
            if self.behaviour is not None:
                return await self.behaviour(messages, sampling)
            await asyncio.sleep(0)
            outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
            if isinstance(outcome, Exception):
                raise outcome
            return outcome
        finally:
            self.running -= 1

    async def aclose(self) -> None:
        self.closed = True
