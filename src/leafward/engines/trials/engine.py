"""The engine: searches, titles and studies of ClinicalTrials.gov."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from leafward.corpus.problems import Rejected
from leafward.corpus.trials_json import study_document
from leafward.engines.services import Request, Service, ServiceClient
from leafward.engines.services.service import check_expression
from leafward.engines.trials.answers import SERVICE, Page, identity, read_page
from leafward.protocols import CallCache
from leafward.remote.stop import Stop
from leafward.settings import EngineSettings
from leafward.types import Document, Hit, JsonValue, Ranking

_PAGE = 1_000
"""Studies of one answer at most."""

_BATCH = 100
"""Studies asked for at once by number, which stand in the address."""


class TrialsEngine(Service):
    """Executes ClinicalTrials.gov's query language at ClinicalTrials.gov (API v2, ``query.term``).

    A hit's score is 1 / rank, in the order of the service.

    Args:
        posted_until: only studies that were first posted until this day count; None counts all.
        cache: where answers are kept.
    """

    def __init__(
        self,
        settings: EngineSettings | None = None,
        *,
        posted_until: date | None = None,
        cache: CallCache | None = None,
        stop: Stop | None = None,
    ) -> None:
        self._settings = settings or EngineSettings()
        per_second = self._settings.trials_per_second
        client = ServiceClient(
            SERVICE, self._settings, per_second=per_second, cache=cache, stop=stop
        )
        super().__init__("trials", client)
        self._posted_until = posted_until

    @property
    def syntax(self) -> str:
        """Essie, the language of ClinicalTrials.gov."""
        return "trials"

    async def search(self, expression: str, *, k: int) -> Ranking:
        """The first ``k`` studies that an expression finds.

        Raises:
            QuerySyntaxError: empty, too long, or one that the service cannot parse.
            EngineUnavailable: the service gave no answer within the deadline.
        """
        check_expression(expression)
        fields = {"query.term": expression, "countTotal": "true"}
        if self._posted_until is not None:
            area = "AREA[StudyFirstPostDate]RANGE[MIN,"
            fields["filter.advanced"] = f"{area}{self._posted_until.isoformat()}]"
        page = await self._page(expression, fields, k)
        total, numbers = page.total, _numbers(page)
        fields.pop("countTotal")
        while page.next_page is not None and len(numbers) < k:
            more = fields | {"pageToken": page.next_page}
            page = await self._page(expression, more, k)
            numbers |= _numbers(page)
        hits = [Hit(number, 1.0 / rank) for rank, number in enumerate(numbers, start=1)]
        return Ranking(tuple(hits[: max(k, 0)]), total=total)

    async def titles(self, doc_ids: Sequence[str]) -> list[str]:
        """Brief titles of studies by NCT number, in order; empty for an unknown number.

        Raises:
            EngineUnavailable: the service gave no answer within the deadline.
        """
        studies = await self._studies(doc_ids, "NCTId,BriefTitle")
        titles = dict(identity(study) for study in studies)
        return [titles.get(doc_id, "") for doc_id in doc_ids]

    async def records(self, doc_ids: Sequence[str]) -> list[Document]:
        """Whole studies by NCT number, in order; those without any text are left out.

        Raises:
            EngineUnavailable: the service gave no answer within the deadline.
        """
        found: dict[str, Document] = {}
        for study in await self._studies(doc_ids, None):
            try:
                document = study_document(study)
            except Rejected:
                continue
            found[document.id] = document
        return [found[doc_id] for doc_id in doc_ids if doc_id in found]

    async def _page(self, expression: str, fields: dict[str, str], k: int) -> Page:
        size = str(min(max(k, 1), _PAGE))
        whole = {"format": "json", "fields": "NCTId", "pageSize": size, **fields}
        request = Request("GET", self._url, whole)
        return await self._client.ask(request, lambda answer: read_page(answer, expression))

    async def _studies(
        self, doc_ids: Sequence[str], fields: str | None
    ) -> list[dict[str, JsonValue]]:
        studies: list[dict[str, JsonValue]] = []
        known = [doc_id for doc_id in doc_ids if doc_id.isascii() and doc_id.isalnum()]
        for start in range(0, len(known), _BATCH):
            batch = known[start : start + _BATCH]
            asked = {"format": "json", "filter.ids": ",".join(batch), "pageSize": str(len(batch))}
            if fields is not None:
                asked["fields"] = fields
            request = Request("GET", self._url, asked)
            page = await self._client.ask(request, lambda answer: read_page(answer, ""))
            studies += page.studies
        return studies

    @property
    def _url(self) -> str:
        return f"{self._settings.trials_url.rstrip('/')}/studies"


def _numbers(page: Page) -> dict[str, None]:
    return dict.fromkeys(identity(study)[0] for study in page.studies)
