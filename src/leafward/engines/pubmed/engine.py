"""The engine: searches, titles and records of PubMed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from pydantic import SecretStr

from leafward.engines.pubmed.answers import (
    SERVICE,
    Found,
    read_records,
    read_search,
    read_titles,
)
from leafward.engines.pubmed.dates import WINDOW, Dates
from leafward.engines.pubmed.searching import Searcher
from leafward.engines.pubmed.structure import check_structure
from leafward.engines.services import Request, Service, ServiceClient
from leafward.engines.services.service import check_expression
from leafward.errors import SettingsError
from leafward.protocols import CallCache
from leafward.remote.stop import Stop
from leafward.settings import EngineSettings
from leafward.types import Document, Hit, Ranking

Order = Literal["date", "relevance"]

_SORTS = {"date": "pub_date", "relevance": "relevance"}
_PAGE = 200
"""Records asked for at once by id."""

_KEYED, _UNKEYED = 10.0, 3.0  # requests a second that NCBI allows


class PubMedEngine(Service):
    """Executes PubMed's query language at PubMed (NCBI E-utilities).

    A hit's score is 1 / rank. ``total`` counts all that PubMed finds, ``notes`` say what it ignored
    or did not find. Searches beyond the first 9,999 records are cut into ranges of publication
    dates.

    Args:
        order: newest first, or PubMed's "best match".
        published: only records of these days count; None counts all.
        cache: where answers are kept.
    """

    def __init__(
        self,
        settings: EngineSettings | None = None,
        *,
        order: Order = "date",
        published: Dates | None = None,
        cache: CallCache | None = None,
        stop: Stop | None = None,
    ) -> None:
        self._settings = settings or EngineSettings()
        self._private = _identity(self._settings)
        default = _KEYED if "api_key" in self._private else _UNKEYED
        per_second = self._settings.pubmed_per_second or default
        client = ServiceClient(
            SERVICE, self._settings, per_second=per_second, cache=cache, stop=stop
        )
        super().__init__("pubmed", client)
        self._order: Order = order
        self._published = published

    @property
    def syntax(self) -> str:
        """PubMed's query language."""
        return "pubmed"

    async def search(self, expression: str, *, k: int, published: Dates | None = None) -> Ranking:
        """The first ``k`` records that an expression finds.

        Args:
            published: only records of these days count; None takes the engine's own.

        Raises:
            QuerySyntaxError: empty, too long, with a field that PubMed does not have, or with a
                quote, parenthesis or operator that lacks its other half.
            EngineUnavailable: PubMed gave no answer within the deadline.
            SettingsError: a wrong key, or more by relevance than PubMed gives out.
        """
        check_expression(expression)
        check_structure(expression)
        if k > WINDOW and self._order == "relevance":
            raise SettingsError(
                f"PubMed gives out {WINDOW:,} records by relevance, and {k:,} are asked for",
                hint="ask for fewer, or take them by date",
            )
        found = await Searcher(self._page).search(expression, published or self._published, k)
        hits = tuple(Hit(pmid, 1.0 / rank) for rank, pmid in enumerate(found.ids, start=1))
        return Ranking(hits, total=found.count, notes=found.notes)

    async def titles(self, doc_ids: Sequence[str]) -> list[str]:
        """Titles of records by PMID, in order; empty for an id that PubMed does not know.

        Raises:
            EngineUnavailable: PubMed gave no answer within the deadline.
        """
        batches = [doc_ids[start : start + _PAGE] for start in range(0, len(doc_ids), _PAGE)]
        return [title for batch in batches for title in await self._titles(list(batch))]

    async def records(self, doc_ids: Sequence[str]) -> list[Document]:
        """Whole records by PMID, in order; those without title and abstract are left out.

        Raises:
            EngineUnavailable: PubMed gave no answer within the deadline.
        """
        found: dict[str, Document] = {}
        for start in range(0, len(doc_ids), _PAGE):
            ids = _listed(doc_ids[start : start + _PAGE])
            request = self._request("efetch", {"db": "pubmed", "retmode": "xml", "id": ids})
            records = await self._client.ask(request, read_records)
            found |= {record.id: record for record in records}
        return [found[doc_id] for doc_id in doc_ids if doc_id in found]

    async def _page(self, expression: str, published: Dates | None, start: int, size: int) -> Found:
        fields = {
            "db": "pubmed",
            "term": expression,
            "retmode": "json",
            "retstart": str(start),
            "retmax": str(size),
            "sort": _SORTS[self._order],
        }
        if published is not None:
            first, last = published.fields
            fields |= {"datetype": "pdat", "mindate": first, "maxdate": last}
        request = self._request("esearch", fields)
        return await self._client.ask(request, lambda answer: read_search(answer, expression))

    async def _titles(self, doc_ids: list[str]) -> list[str]:
        fields = {"db": "pubmed", "retmode": "json", "id": _listed(doc_ids)}
        request = self._request("esummary", fields)
        return await self._client.ask(request, lambda answer: read_titles(answer, doc_ids))

    def _request(self, utility: str, fields: dict[str, str]) -> Request:
        url = f"{self._settings.pubmed_url.rstrip('/')}/{utility}.fcgi"
        return Request("POST", url, fields, self._private)


def _identity(settings: EngineSettings) -> dict[str, SecretStr]:
    """Who asks, as NCBI wishes to know it, and the key from the settings or the environment."""
    fields = {"tool": SecretStr("leafward")}
    if settings.email is not None:
        fields["email"] = SecretStr(settings.email)
    given = settings.ncbi_api_key
    key = os.environ.get("NCBI_API_KEY", "") if given is None else given.get_secret_value()
    return fields | ({"api_key": SecretStr(key.strip())} if key.strip() else {})


def _listed(doc_ids: Sequence[str]) -> str:
    """Ids as one field; what could not be one is left out, and thereby unknown."""
    return ",".join(doc_id for doc_id in doc_ids if doc_id.isascii() and doc_id.isalnum())
