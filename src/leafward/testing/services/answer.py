"""Requests and answers of the stand-ins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from leafward.testing.wire import HttpRequest, HttpResponse

XML = {"content-type": "text/xml; charset=UTF-8"}
TEXT = {"content-type": "text/plain; charset=UTF-8"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request taken apart; ``fields`` are those of the address and of the form."""

    method: str
    path: str
    fields: Mapping[str, str]

    @staticmethod
    def of(request: HttpRequest) -> Asked:
        """Read address and form."""
        path, _, query = request.target.partition("?")
        fields = dict(parse_qsl(query, keep_blank_values=True))
        if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            fields |= parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True)
        return Asked(request.method, path.rstrip("/"), fields)

    def number(self, name: str, default: int) -> int:
        """A field as a number; the default where it is none."""
        value = self.fields.get(name, "")
        return int(value) if value.isascii() and value.isdigit() else default


def text_response(text: str, *, status: int = 200, xml: bool = False) -> HttpResponse:
    """A body of text."""
    return HttpResponse(status, text.encode(), XML if xml else TEXT)
