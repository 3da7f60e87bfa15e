"""One question to a service and its answer, as they are sent, kept and read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from pydantic import SecretStr

from leafward.errors import EngineUnavailable
from leafward.remote.keys import canonical
from leafward.remote.retry_after import parse_retry_after
from leafward.types import JsonValue

Method = Literal["GET", "POST"]


@dataclass(frozen=True, slots=True)
class Request:
    """A question; ``fields`` go into the query of a GET and the form of a POST.

    ``private`` are fields that decide nothing about the answer: who asks, and with which key. They
    are sent, and appear in no cache and no message.
    """

    method: Method
    url: str
    fields: Mapping[str, str]
    private: Mapping[str, SecretStr] = field(default_factory=dict)

    def describe(self) -> str:
        """Canonical JSON of everything that decides the answer."""
        return canonical([self.method, self.url, dict(self.fields)])


@dataclass(frozen=True, slots=True)
class Response:
    """An answer read to its end."""

    status: int
    text: str

    def encode(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @staticmethod
    def decode(text: str) -> Response | None:
        """A kept answer, or None where the row is damaged."""
        try:
            kept = json.loads(text)
            return Response(int(kept["status"]), str(kept["text"]))
        except (ValueError, TypeError, KeyError):
            return None

    def json(self, service: str) -> JsonValue:
        """The body as JSON.

        Raises:
            EngineUnavailable: it is none, which is how services look that have trouble.
        """
        try:
            # Not strict: PubMed writes raw line ends into its own error messages.
            value: JsonValue = json.loads(self.text, strict=False)
        except (ValueError, RecursionError) as error:
            looks = "XML or a web page" if self.text.lstrip().startswith("<") else "no JSON"
            raise unreadable(service, looks) from error
        return value


def check_status(service: str, status: int, headers: Mapping[str, str]) -> None:
    """Raises EngineUnavailable for an answer that says: not now."""
    if status == 429 or status == 408 or status >= 500:
        raise EngineUnavailable(
            f"{service} answers with HTTP {status}",
            retry_after=parse_retry_after(headers),
            hint="the service is busy or has trouble: try again later",
        )


def unreadable(service: str, what: str) -> EngineUnavailable:
    """The error for an answer that is not what the protocol says."""
    return EngineUnavailable(
        f"{service} gives an answer that cannot be read ({what})",
        hint="the service has trouble, or its address in the settings is another one's",
    )
