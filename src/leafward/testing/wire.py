"""HTTP/1.1 over asyncio, no more than a model server needs, and able to break it on purpose."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Literal

MAX_HEAD = 64 * 1024
MAX_BODY = 256 * 1024 * 1024

Fate = Literal["send", "drop", "cut"]
"""Send the response whole, drop the connection instead, or cut it in the middle of the body."""


@dataclass(frozen=True)
class HttpRequest:
    """A request read to its end; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def keep_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


@dataclass(frozen=True)
class HttpResponse:
    """A response and what becomes of it on the wire."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    fate: Fate = "send"

    @classmethod
    def json(
        cls, value: object, *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> HttpResponse:
        return cls(status, json.dumps(value).encode(), headers or {})

    def encode(self, *, keep_alive: bool) -> bytes:
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if not any(name.lower() == "content-type" for name in self.headers):
            lines.append("content-type: application/json")
        lines.append(f"content-length: {len(self.body)}")
        lines.append(f"connection: {'keep-alive' if keep_alive else 'close'}")
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + self.body


class BadRequest(Exception):
    """Bytes that are no request; ``status`` is what to answer before closing."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Send = Callable[[HttpResponse], None]
Handler = Callable[[HttpRequest, Send], Awaitable[None]]
"""Answers one request by calling ``send`` once; cancelled when the client goes away."""


class Connection(asyncio.Protocol):
    """One keep-alive connection: requests one after another, pipelined ones wait their turn."""

    def __init__(self, handler: Handler, connections: set[Connection]) -> None:
        self._handler = handler
        self._connections = connections
        self._buffer = bytearray()
        self._head: HttpRequest | None = None
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self._transport = None
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._advance()

    def abort(self) -> None:
        """Close at once, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    def _advance(self) -> None:
        if self._task is not None or self._transport is None or self._transport.is_closing():
            return
        try:
            request = self._take()
        except BadRequest as error:
            self._buffer.clear()
            body = {"error": {"message": str(error), "type": "invalid_request_error"}}
            self._send(HttpResponse.json(body, status=error.status), keep_alive=False)
            return
        if request is not None:
            self._task = asyncio.get_running_loop().create_task(self._serve(request))

    def _take(self) -> HttpRequest | None:
        """The next whole request of the buffer, or None until more bytes come."""
        if self._head is None:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > MAX_HEAD:
                    raise BadRequest(431, "the request's head is too long")
                return None
            self._head = parse_head(bytes(self._buffer[:end]))
            del self._buffer[: end + 4]
            if self._head.headers.get("expect", "").lower() == "100-continue" and self._transport:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        length = int(self._head.headers.get("content-length", "0"))
        if len(self._buffer) < length:
            return None
        head, self._head = self._head, None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        return HttpRequest(head.method, head.target, head.headers, body)

    async def _serve(self, request: HttpRequest) -> None:
        def send(response: HttpResponse) -> None:
            self._send(response, keep_alive=request.keep_alive)

        await self._handler(request, send)
        self._task = None
        self._advance()

    def _send(self, response: HttpResponse, *, keep_alive: bool) -> None:
        if self._transport is None:
            return
        whole = response.encode(keep_alive=keep_alive)
        if response.fate == "send":
            self._transport.write(whole)
        elif response.fate == "cut":
            self._transport.write(whole[: len(whole) - (len(response.body) + 1) // 2])
        if response.fate != "send" or not keep_alive:
            self._transport.close()


def parse_head(head: bytes) -> HttpRequest:
    """Read request line and headers; BadRequest where they are none, or too much is announced."""
    first, *lines = head.decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise BadRequest(400, "not an HTTP/1.1 request")
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise BadRequest(400, "a header without a colon")
        headers[name.strip().lower()] = value.strip()
    if "transfer-encoding" in headers:
        raise BadRequest(411, "send a content-length; chunked bodies are not read here")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise BadRequest(400, "the content-length is no number")
    if int(length) > MAX_BODY:
        raise BadRequest(413, "the request's body is too long")
    return HttpRequest(parts[0], parts[1], headers, b"")
