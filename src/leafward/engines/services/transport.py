"""Sending one request over HTTP, with every failure as one of our errors."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from leafward.engines.services.exchange import Request, Response, check_status, unreadable
from leafward.errors import EngineUnavailable, EngineUnreachable, SettingsError
from leafward.remote.deadline import attempt_seconds
from leafward.remote.per_loop import PerLoop
from leafward.settings import EngineSettings

if TYPE_CHECKING:
    import httpx

_CONNECT_TIMEOUT = 10.0  # seconds
_LONGEST_ANSWER = 64_000_000
"""Bytes; ten thousand records of PubMed are about half of it."""


class Transport:
    """HTTP with connections that are kept, one set an event loop; one attempt a call."""

    def __init__(self, service: str, settings: EngineSettings) -> None:
        self._service = service
        self._settings = settings
        self._client = PerLoop(self._connect)

    async def send(self, request: Request) -> Response:
        """The answer, whatever its status says of the request.

        Raises:
            EngineUnavailable: no answer, or one that says that the service has trouble.
            SettingsError: the address is none.
        """
        import httpx

        try:
            async with asyncio.timeout(attempt_seconds(self._settings.attempt_timeout)):
                return await self._exchange(request)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise SettingsError(
                f"{request.url!r} is no address of a service",
                hint="correct engines.pubmed_url or engines.trials_url",
            ) from error
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise EngineUnreachable(
                f"no connection to {self._service}",
                hint=f"are you online, and is {_host(request.url)} right and reachable?",
            ) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise self._lost("no answer in time") from error
        except httpx.HTTPError as error:
            raise self._lost("the connection broke") from error

    async def aclose(self) -> None:
        """Close the connections."""
        client = self._client.pop()
        if client is not None:
            await client.aclose()

    async def _exchange(self, request: Request) -> Response:
        fields = {name: _sendable(value) for name, value in request.fields.items()}
        fields |= {name: value.get_secret_value() for name, value in request.private.items()}
        get = request.method == "GET"
        asked = self._client.get().stream(
            request.method,
            request.url,
            params=fields if get else None,
            data=None if get else fields,
        )
        async with asked as response:
            check_status(self._service, response.status_code, response.headers)
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _LONGEST_ANSWER:
                    raise unreadable(self._service, "it does not end")
        return Response(response.status_code, body.decode("utf-8", "replace"))

    def _lost(self, what: str) -> EngineUnavailable:
        return EngineUnavailable(
            f"{self._service}: {what}",
            hint="try again later, or raise engines.attempt_timeout and engines.total_deadline",
        )

    def _connect(self) -> httpx.AsyncClient:
        import httpx

        seconds = self._settings.attempt_timeout
        return httpx.AsyncClient(
            timeout=httpx.Timeout(seconds, connect=min(_CONNECT_TIMEOUT, seconds / 2)),
            limits=httpx.Limits(max_connections=self._settings.concurrency),
            headers={"user-agent": "leafward"},
        )


def _sendable(text: str) -> str:
    """A text that UTF-8 can carry: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0] or url
