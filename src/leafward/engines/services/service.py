"""What every service is, whatever it searches."""

from __future__ import annotations

from leafward.closing import AsyncClosing
from leafward.engines.services.client import ServiceClient
from leafward.errors import QuerySyntaxError


class Service(AsyncClosing):
    """A named engine over a client, which it closes; an async context manager."""

    def __init__(self, name: str, client: ServiceClient) -> None:
        self._name = name
        self._client = client

    @property
    def name(self) -> str:
        """The name that opens it again."""
        return self._name

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def check_expression(expression: str) -> None:
    """Raises QuerySyntaxError for an expression that no service needs to be asked about."""
    if not expression.strip():
        raise QuerySyntaxError("the expression is empty", column=1, hint="say what is to be found")
    nul = expression.find("\0")
    if nul >= 0:
        raise QuerySyntaxError("a character that no text holds", column=nul + 1, hint="take it out")


def column_of(words: str, expression: str) -> int | None:
    """The column, from 1, at which words stand in an expression, in any case; None where not."""
    place = expression.lower().find(words.lower())
    return None if place < 0 else place + 1
