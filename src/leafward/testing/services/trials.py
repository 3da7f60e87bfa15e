"""ClinicalTrials.gov's API v2 as it behaves: pages of studies over local documents."""

from __future__ import annotations

import base64
import re
from typing import Any

from leafward.errors import QuerySyntaxError
from leafward.testing.services.answer import Asked, text_response
from leafward.testing.services.backing import Backing
from leafward.testing.wire import HttpResponse
from leafward.types import Document

PATH = "/api/v2/studies"

_KNOWN = {
    *("format", "fields", "pageSize", "pageToken", "countTotal"),
    *("query.term", "filter.ids", "filter.advanced"),
}
_POSTED = re.compile(r"AREA\[StudyFirstPostDate\]RANGE\[MIN,(\d{4}-\d\d-\d\d)\]")
_MOST = 1_000
_EXPECTED = "{<EOF>, '(', ',', 'NOT', 'AND', 'OR', 'SEARCH', 'AREA', 'RANGE', WORD}"


class Trials:
    """Answers requests for studies."""

    def __init__(self, backing: Backing) -> None:
        self._backing = backing

    def answer(self, asked: Asked) -> HttpResponse:
        """One page of studies, or what is wrong with the request, in words."""
        unknown = next((name for name in asked.fields if name not in _KNOWN), None)
        if unknown is not None:
            return text_response(f"`{unknown}` is unknown parameter", status=400)
        term = asked.fields.get("query.term", "")
        try:
            found = self._found(asked, term)
        except QuerySyntaxError as error:
            return text_response(_complaint(error, term), status=400)
        start = _read_token(asked.fields.get("pageToken"))
        if start is None:
            return text_response("`pageToken` has an incorrect format", status=400)
        size = min(asked.number("pageSize", 10), _MOST)
        return HttpResponse.json(self._page(asked, found, start, size))

    def _page(self, asked: Asked, found: list[str], start: int, size: int) -> dict[str, Any]:
        whole = "fields" not in asked.fields
        shown = [self._backing.documents[number] for number in found[start : start + size]]
        page: dict[str, Any] = {"studies": [_study(document, whole=whole) for document in shown]}
        if asked.fields.get("countTotal") == "true":
            page["totalCount"] = len(found)
        if start + size < len(found):
            page["nextPageToken"] = base64.urlsafe_b64encode(f"{start + size}".encode()).decode()
        return page

    def _found(self, asked: Asked, term: str) -> list[str]:
        if "filter.ids" in asked.fields:
            numbers = asked.fields["filter.ids"].split(",")
            return [number for number in numbers if number in self._backing.documents]
        bracket = term.find("[")  # Essie has no tags: brackets follow AREA and its like only
        if bracket >= 0:
            raise QuerySyntaxError("a bracket", column=bracket + 1)
        posted = _POSTED.fullmatch(asked.fields.get("filter.advanced", ""))
        found = self._backing.find(term, order="relevance")
        if posted is None:
            return found
        until = posted[1].replace("-", "/")
        kept = set(self._backing.find(f"({term}) AND 1000/01/01:{until}[dp]"))
        return [number for number in found if number in kept]


def _complaint(error: QuerySyntaxError, term: str) -> str:
    """As the real parser says it: what it had read, and all that it would have taken."""
    at = len(term) if error.column is None else error.column - 1
    if at >= len(term):
        return f"Error parsing query in Other terms: mismatched input '<EOF>' expecting {_EXPECTED}"
    read = term[: at + 1]
    return (
        f"Error parsing query in Other terms: no viable alternative at input '{read}'\n"
        f"mismatched input '{term[at]}' expecting {_EXPECTED}"
    )


def _read_token(token: str | None) -> int | None:
    """Where a page begins; None for a token that was never given out."""
    if token is None:
        return 0
    try:
        text = base64.urlsafe_b64decode(token.encode()).decode()
    except ValueError:
        return None
    return int(text) if text.isascii() and text.isdigit() else None


def _study(document: Document, *, whole: bool) -> dict[str, Any]:
    identity = {"nctId": document.id, "briefTitle": document.title}
    protocol: dict[str, Any] = {"identificationModule": identity}
    if whole:
        protocol["descriptionModule"] = {"briefSummary": document.text}
        conditions = document.metadata.get("conditions")
        listed = list(conditions) if isinstance(conditions, tuple) else []
        protocol["conditionsModule"] = {"conditions": listed}
    return {"protocolSection": protocol}
