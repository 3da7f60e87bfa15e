"""Both services behind one port of loopback."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

from leafward.settings import EngineSettings
from leafward.testing.faults import Fault, Inject
from leafward.testing.latency import Constant, Latency
from leafward.testing.loopback import Loopback
from leafward.testing.services import pubmed, trials
from leafward.testing.services.answer import Asked, text_response
from leafward.testing.services.backing import Backing
from leafward.testing.services.desk import Desk, Make, rejection
from leafward.testing.stats import Ledger, Stats
from leafward.testing.wire import Handler, HttpRequest, Send
from leafward.testing.words import stable_hash
from leafward.types import Document


class StandInServices(Loopback):
    """PubMed's E-utilities and ClinicalTrials.gov's API v2 over local documents.

    Expressions run on :class:`leafward.engines.boolean.BooleanEngine`; what it refuses is answered
    as the service would. A context manager, both ways; :meth:`settings` leads engines to it.

    >>> import asyncio
    >>> from leafward import Document
    >>> from leafward.engines.pubmed import PubMedEngine
    >>> from leafward.testing import StandInServices
    >>> async def search():
    ...     with StandInServices([Document("17", "Aspirin after stroke.", "Aspirin")]) as services:
    ...         async with PubMedEngine(services.settings()) as engine:
    ...             return await engine.search("aspirin[ti] AND stroke", k=10)
    >>> [hit.doc_id for hit in asyncio.run(search()).hits]
    ['17']

    Args:
        records: what PubMed holds; ids are digits, and ``date`` or ``year`` in the metadata is the
            date of publication.
        studies: what ClinicalTrials.gov holds.
        faults: when which of :data:`SERVICE_FAULTS` strikes; kinds of requests are ``esearch``,
            ``esummary``, ``efetch`` and ``studies``.
        key: the key that NCBI has given out; any other is refused.
        per_second: requests in a second, by kind of service, beyond which it answers 429.
        window: records that PubMed gives out of one search.
    """

    def __init__(
        self,
        records: Sequence[Document] = (),
        studies: Sequence[Document] = (),
        *,
        faults: Sequence[Inject] = (),
        latency: Latency = Constant(),  # noqa: B008 - frozen
        key: str | None = None,
        per_second: int | None = None,
        window: int = pubmed.WINDOW,
        port: int = 0,
    ) -> None:
        super().__init__(self._make_handler, name="stand-in-services", port=port)
        self._backings = Backing(records), Backing(studies)
        self._pubmed = pubmed.PubMed(self._backings[0], key=key, window=window)
        self._trials = trials.Trials(self._backings[1])
        self._ledger = Ledger()
        self._latency = latency
        self._per_second = per_second
        self._arrivals: dict[str, deque[float]] = {}
        self._desk = Desk(faults, latency, self._ledger)

    def settings(self, **fields: Any) -> EngineSettings:
        """Settings that lead engines here, without waits of their own unless ``fields`` say so."""
        root = f"http://127.0.0.1:{self.port}"
        quick = {"pubmed_per_second": 10_000, "trials_per_second": 10_000, "retry_wait": 0.001}
        places = {"pubmed_url": f"{root}{pubmed.PATH}", "trials_url": f"{root}/api/v2"}
        return EngineSettings.model_validate({**quick, **places, **fields})

    def stats(self) -> Stats:
        """A copy of the counts so far; ``prompts`` are requests by the hash of what they ask."""
        return self._ledger.snapshot()

    def reset(self) -> None:
        """Start counting anew, attempts included; faults keep their schedule."""
        self._ledger.reset()

    def wait(self, requests: int, timeout: float = 30.0) -> bool:
        """Block until so many requests have arrived; False where the timeout came first."""
        return self._ledger.wait(requests, timeout)

    def strike(self, *faults: Inject) -> None:
        """Let these faults strike from now on, and no others; none ends them."""
        self._desk = Desk(faults, self._latency, self._ledger)

    def stop(self) -> None:
        """Close every connection, end the thread, remove the indexes."""
        super().stop()
        for backing in self._backings:
            backing.close()

    def _make_handler(self) -> Handler:
        return self._handle

    async def _handle(self, request: HttpRequest, send: Send) -> None:
        asked = Asked.of(request)
        kind, make = self._route(asked)
        if make is None:
            send(text_response("there is nothing here", status=404))
            return
        if self._too_fast("studies" if kind == "studies" else "eutils"):
            make = partial(rejection, Inject(Fault.RATE_LIMITED))
        private = {"api_key", "tool", "email"}
        key = repr(sorted(item for item in asked.fields.items() if item[0] not in private))
        await self._desk.work(kind, f"{stable_hash(kind + key):016x}", make, send)

    def _route(self, asked: Asked) -> tuple[str, Make | None]:
        if asked.path == trials.PATH and asked.method == "GET":
            return "studies", partial(self._trials.answer, asked)
        folder, _, file = asked.path.rpartition("/")
        utility = file.removesuffix(".fcgi")
        if folder == pubmed.PATH and utility in ("esearch", "esummary", "efetch"):
            return utility, partial(self._pubmed.answer, utility, asked)
        return "", None

    def _too_fast(self, service: str) -> bool:
        """Whether the requests of the last second, this one included, are more than allowed."""
        if self._per_second is None:
            return False
        arrivals = self._arrivals.setdefault(service, deque())
        now = time.monotonic()
        arrivals.append(now)
        while now - arrivals[0] >= 1.0:
            arrivals.popleft()
        return len(arrivals) > self._per_second
