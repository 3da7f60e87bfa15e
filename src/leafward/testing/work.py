"""One counted request from arrival to end: fault, rule, bill, latency, delivery."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from leafward.testing.faults import Fault, Inject, Schedule
from leafward.testing.refusals import Refused
from leafward.testing.script import Script
from leafward.testing.stats import Bill, Ledger
from leafward.testing.wire import HttpResponse, Send
from leafward.testing.words import seeded

Make = Callable[[Fault | None, int], tuple[dict[str, Any], Bill]]
"""Makes the answer and its bill under a fault and for an attempt; may raise Refused."""


@dataclass(frozen=True)
class Call:
    """A request that is counted: its kind, the hash of what it asks, and how to answer it."""

    kind: str
    key: str
    make: Make


class Desk:
    """Works on calls under one script; a new script means a new desk."""

    def __init__(self, script: Script, ledger: Ledger) -> None:
        self.script = script
        self._ledger = ledger
        self._schedule = Schedule(script.faults)
        self._slots = asyncio.Semaphore(script.slots) if script.slots else None

    async def work(self, call: Call, send: Send) -> None:
        """Answer a call and count how it ended, exactly once."""
        attempt = self._ledger.arrive(call.kind, call.key)
        bill: Bill | None = None
        try:
            inject = self._strike(call, attempt)
            async with self._slot():
                body, bill = self._make(call, inject, attempt)
                self._ledger.charge(call.kind, call.key, bill)
                response = await self._wait(call, attempt, inject, body)
        except asyncio.CancelledError:  # the client went away
            self._ledger.end(call.kind, how="lost", lost=bill)
            raise
        except Refused as refusal:
            self._ledger.end(call.kind, how="rejected")
            send(HttpResponse.json(refusal.body(), status=refusal.status, headers=refusal.headers))
            return
        if response.fate == "send":
            self._ledger.end(call.kind, how="answered")
        else:
            self._ledger.end(call.kind, how="lost", lost=bill)
        send(response)

    def _strike(self, call: Call, attempt: int) -> Inject | None:
        """The injection for a call; Refused where the fault turns it away."""
        inject = self._schedule.pick(call.kind, call.key, attempt)
        if inject is not None:
            self._ledger.fault(inject.fault.value)
            if inject.fault.rejects:
                raise _rejection(inject)
        return inject

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        if self._slots is None:
            yield
            return
        if self.script.overflow == "reject" and self._slots.locked():
            raise _rejection(Inject(Fault.RATE_LIMITED))
        async with self._slots:
            yield

    def _make(self, call: Call, inject: Inject | None, attempt: int) -> tuple[dict[str, Any], Bill]:
        try:
            return call.make(inject.fault if inject else None, attempt)
        except Refused:
            raise
        except Exception as error:  # a user's rule may raise anything; the server must live on
            self._ledger.error(traceback.format_exc())
            raise Refused(500, f"a rule raised {type(error).__name__}: {error}") from error

    async def _wait(
        self, call: Call, attempt: int, inject: Inject | None, body: Mapping[str, Any]
    ) -> HttpResponse:
        seconds = self.script.latency(seeded("latency", self.script.seed, call.key, attempt))
        if inject is not None and inject.fault is Fault.STALL:
            seconds = inject.stall
        if seconds > 0:
            await asyncio.sleep(seconds)
        return _on_wire(HttpResponse.json(body), inject.fault if inject else None)


def _rejection(inject: Inject) -> Refused:
    after = inject.retry_after
    if inject.fault is Fault.RATE_LIMITED_UNTIL:
        until = datetime.now(UTC) + timedelta(seconds=1.0 if after is None else after)
        return _limited(format_datetime(until, usegmt=True))
    if inject.fault is Fault.RATE_LIMITED:
        return _limited(f"{1.0 if after is None else after:g}")
    headers = {} if after is None else {"retry-after": f"{after:g}"}
    if inject.fault is Fault.UNAVAILABLE:
        return Refused(
            503, "The engine is currently overloaded, please try again.", headers=headers
        )
    message = "The server had an error while processing your request. Sorry about that!"
    return Refused(500, message, headers=headers)


def _limited(retry_after: str) -> Refused:
    return Refused(
        429,
        "Rate limit reached for requests.",
        code="rate_limit_exceeded",
        headers={"retry-after": retry_after},
    )


def _on_wire(response: HttpResponse, fault: Fault | None) -> HttpResponse:
    """Break a good response on its way."""
    if fault is Fault.DROPPED or fault is Fault.STALL:
        return replace(response, fate="drop")
    if fault is Fault.DROPPED_MIDDLE:
        return replace(response, fate="cut")
    if fault is Fault.INVALID_UTF8:
        return replace(response, body=_undecodable(response.body))
    if fault is Fault.GARBAGE:
        return replace(response, body=b"{upstream connect error")
    if fault is Fault.HTML_PAGE:
        page = b"<html><body><h1>It works!</h1></body></html>"
        return replace(response, body=page, headers={"content-type": "text/html"})
    return response


def _undecodable(body: bytes) -> bytes:
    """Put bytes that are no UTF-8 into the answer's content, or else into its first text."""
    for key in (b'"content": "', b'"embedding": "', b'": "'):
        before, found, after = body.partition(key)
        if found:
            return before + found + b"\xff\xfe\x80" + after
    return b"\xff" + body


def read_object(body: bytes) -> Mapping[str, Any]:
    """The JSON object of a request's body; Refused where it holds none."""
    try:
        value = json.loads(body)
    except ValueError as error:
        raise Refused(400, f"The body of your request is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise Refused(400, "The body of your request must be a JSON object.")
    return value
