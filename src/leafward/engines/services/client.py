"""Asking a service: kept answers first, then its rate, then retries within one deadline."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from leafward.engines.services.exchange import Request, Response
from leafward.engines.services.transport import Transport
from leafward.errors import EngineUnreachable, QuerySyntaxError, StoreError
from leafward.protocols import CallCache
from leafward.remote.bucket import Bucket
from leafward.remote.gate import Gate
from leafward.remote.keys import look_up
from leafward.remote.retrying import retried
from leafward.remote.stop import Stop
from leafward.settings import EngineSettings
from leafward.types import NO_USAGE

T = TypeVar("T")

Read = Callable[[Response], T]
"""Makes a value of an answer; raises QuerySyntaxError for what the service says of the expression,
EngineUnavailable for an answer that shows trouble of the service."""

_KIND = "search"

logger = logging.getLogger("leafward.engines")


class ServiceClient:
    """Asks one service, and keeps what it answered.

    Args:
        per_second: requests that may be started in a second; no two at once, as services count
            them in a window of a second.
        cache: where answers are kept, what they say of a wrong expression included.
    """

    def __init__(
        self,
        service: str,
        settings: EngineSettings,
        *,
        per_second: float,
        cache: CallCache | None = None,
        stop: Stop | None = None,
    ) -> None:
        self._service = service
        self._settings = settings
        self._cache = cache
        self._stop = stop or Stop()
        self._transport = Transport(service, settings)
        bucket = Bucket(per_second * 60, burst=1)
        self._gate = Gate(settings.concurrency, [bucket], self._stop)

    async def ask(self, request: Request, read: Read[T]) -> T:
        """The value of the answer, after as many attempts as the deadline allows.

        Raises:
            QuerySyntaxError: what ``read`` makes of the answer.
            EngineUnavailable: the last failure.
            Interrupted: the user asked to stop.
        """
        described = request.describe()
        key = None
        if self._cache is not None:
            key, kept = look_up(self._cache, described, Response.decode)
            if kept is not None:
                return read(kept)

        async def attempt() -> T:
            async with self._gate.passing(1):
                response = await self._transport.send(request)
            try:
                value = read(response)
            except QuerySyntaxError:
                self._keep(key, described, response)
                raise
            self._keep(key, described, response)
            return value

        return await retried(attempt, self._settings, self._stop, unreachable=EngineUnreachable)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    def _keep(self, key: str | None, described: str, response: Response) -> None:
        if self._cache is None or key is None:
            return
        try:
            self._cache.put(
                key,
                kind=_KIND,
                model=self._service,
                request=described,
                answer=response.encode(),
                usage=NO_USAGE,
            )
        except StoreError as error:  # an answer that is not kept is still an answer
            logger.warning("what %s answered cannot be kept: %s", self._service, error.message)
            self._cache = None
