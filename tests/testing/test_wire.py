"""HTTP as it comes over a socket: in pieces, pipelined, broken."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leafward.testing import ScriptedServer, rules
from leafward.testing.wire import BadRequest, parse_head

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()
HEAD = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(BODY)}\r\n"
POST = HEAD.encode() + b"\r\n" + BODY
GET = b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(rules=[rules.canned({"": "Hello."})]) as server:
        yield server


def exchange(server: ScriptedServer, *pieces: bytes) -> bytes:
    """Send pieces, and read until the server closes; the last request must ask it to."""
    place = urlsplit(server.base_url)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=20) as wire:
        for piece in pieces:
            wire.sendall(piece)
        received = b""
        while more := wire.recv(65536):
            received += more
    return received


def closing(request: bytes) -> bytes:
    return request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cuts=st.lists(st.integers(0, 2 * len(POST)), max_size=5))
def test_requests_in_any_pieces_are_answered_in_order(
    server: ScriptedServer, cuts: list[int]
) -> None:
    sent = POST + GET + closing(POST)
    edges = [0, *sorted(min(cut, len(sent)) for cut in cuts), len(sent)]
    pieces = [sent[lo:hi] for lo, hi in pairwise(edges) if hi > lo]
    answer = exchange(server, *pieces)
    assert answer.count(b"HTTP/1.1 200 OK") == 3
    kinds = [part[: part.index(b'"')] for part in answer.split(b'"object": "')[1:]]
    assert kinds == [b"chat.completion", b"list", b"model", b"chat.completion"]


def test_the_connection_stays_open_unless_told(server: ScriptedServer) -> None:
    answer = exchange(server, GET + closing(GET))
    assert answer.count(b"connection: keep-alive") == answer.count(b"connection: close") == 1


def test_a_client_that_waits_for_leave_gets_it(server: ScriptedServer) -> None:
    head = HEAD.encode() + b"Connection: close\r\nExpect: 100-continue\r\n\r\n"
    answer = exchange(server, head, BODY)
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / SPDY/3\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nno colon here\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n", b"413"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"GET / HTTP/1.1\r\nlong: " + b"x" * 70_000, b"431"),
    ],
)
def test_what_is_no_request_is_refused_and_closed(
    server: ScriptedServer, request_bytes: bytes, status: bytes
) -> None:
    assert exchange(server, request_bytes).startswith(b"HTTP/1.1 " + status)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[]", b"{}", b'{"messages": [3]}'])
def test_bodies_that_are_no_request_are_refused(server: ScriptedServer, body: bytes) -> None:
    head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
    answer = exchange(server, closing(head.encode() + body))
    assert answer.startswith(b"HTTP/1.1 400 Bad Request")
    assert b"invalid_request_error" in answer


@given(st.binary(max_size=200))
def test_any_head_is_read_or_refused(head: bytes) -> None:
    try:
        request = parse_head(head)
    except BadRequest as error:
        assert 400 <= error.status < 500
    else:
        assert request.method is not None and request.body == b""
