"""One counted request to a stand-in: fault, answer, latency, delivery."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from leafward.errors import SettingsError
from leafward.testing.faults import Fault, Inject, Schedule
from leafward.testing.latency import Latency
from leafward.testing.services.answer import XML
from leafward.testing.stats import Ledger
from leafward.testing.wire import HttpResponse, Send
from leafward.testing.words import seeded

SERVICE_FAULTS = (
    Fault.RATE_LIMITED,
    Fault.RATE_LIMITED_UNTIL,
    Fault.SERVER_ERROR,
    Fault.UNAVAILABLE,
    Fault.DROPPED,
    Fault.DROPPED_MIDDLE,
    Fault.STALL,
    Fault.GARBAGE,
    Fault.HTML_PAGE,
)
"""What befalls search services. GARBAGE is a page of XML that reports an error, with status 200,
where JSON was asked for; HTML_PAGE the page of a gateway."""

_ERROR_PAGE = (
    b'<?xml version="1.0" encoding="UTF-8" ?>\n'
    b"<eSearchResult><ERROR>Database is not supported: temporarily unavailable</ERROR>"
    b"</eSearchResult>"
)
_GATEWAY = b"<html><head><title>Error Blocked Diagnostic</title></head><body></body></html>"

Make = Callable[[], HttpResponse]


class Desk:
    """Answers requests under one schedule of faults."""

    def __init__(self, faults: Sequence[Inject], latency: Latency, ledger: Ledger) -> None:
        wrong = next((each.fault for each in faults if each.fault not in SERVICE_FAULTS), None)
        if wrong is not None:
            known = ", ".join(fault.name for fault in SERVICE_FAULTS)
            raise SettingsError(f"{wrong.name} befalls no search service", hint=f"use {known}")
        self._schedule = Schedule(faults)
        self._latency = latency
        self._ledger = ledger

    async def work(self, kind: str, key: str, make: Make, send: Send) -> None:
        """Answer a request and count how it ended, exactly once."""
        attempt = self._ledger.arrive(kind, key)
        try:
            inject = self._schedule.pick(kind, key, attempt)
            response = await self._delivered(key, attempt, inject, make)
        except asyncio.CancelledError:  # the client went away
            self._ledger.end(kind, how="lost")
            raise
        how = "lost" if response.fate != "send" else "answered"
        self._ledger.end(kind, how="rejected" if response.status >= 400 else how)
        send(response)

    async def _delivered(
        self, key: str, attempt: int, inject: Inject | None, make: Make
    ) -> HttpResponse:
        seconds = self._latency(seeded("latency", key, attempt))
        if inject is None:
            await asyncio.sleep(seconds)
            return make()
        self._ledger.fault(inject.fault.value)
        await asyncio.sleep(inject.stall if inject.fault is Fault.STALL else seconds)
        return rejection(inject) if inject.fault.rejects else _broken(make(), inject.fault)


def rejection(inject: Inject) -> HttpResponse:
    """What a service says that will not answer now."""
    after = inject.retry_after
    if inject.fault is Fault.SERVER_ERROR:
        return HttpResponse(500, _GATEWAY, {"content-type": "text/html"})
    if inject.fault is Fault.UNAVAILABLE:
        headers = {} if after is None else {"retry-after": f"{after:g}"}
        return HttpResponse(503, _GATEWAY, {"content-type": "text/html", **headers})
    wait = 1.0 if after is None else after
    told = f"{wait:g}"
    if inject.fault is Fault.RATE_LIMITED_UNTIL:
        told = format_datetime(datetime.now(UTC) + timedelta(seconds=wait), usegmt=True)
    body = {"error": "API rate limit exceeded", "api-key": "127.0.0.1", "count": "4", "limit": "3"}
    return HttpResponse.json(body, status=429, headers={"retry-after": told})


def _broken(response: HttpResponse, fault: Fault) -> HttpResponse:
    match fault:
        case Fault.DROPPED | Fault.STALL:
            return replace(response, fate="drop")
        case Fault.DROPPED_MIDDLE:
            return replace(response, fate="cut")
        case Fault.GARBAGE:
            return HttpResponse(200, _ERROR_PAGE, XML)
        case _:
            return HttpResponse(200, _GATEWAY, {"content-type": "text/html"})
