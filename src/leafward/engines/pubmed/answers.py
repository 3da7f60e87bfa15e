"""Reading what E-utilities answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

from pydantic import BaseModel, Field, ValidationError

from leafward.corpus.problems import Rejected
from leafward.corpus.pubmed_record import article_document
from leafward.corpus.xml_stream import BrokenXml, elements
from leafward.engines.services.exchange import Response, unreadable
from leafward.engines.services.service import column_of
from leafward.errors import EngineRefuses, EngineUnavailable, QuerySyntaxError, SettingsError
from leafward.types import Document, JsonValue

SERVICE = "PubMed"

_TAGS = "use PubMed's tags, such as [ti], [tiab], [mh], [au], [ta], [dp], [pt], [la] or [pmid]"
_TOO_LONG = {413, 414}
_ORDINARY = ("no items found", "restrictions achieved")
"""What PubMed reports of any search without hits, or with more of them than it gives out."""


class _Errors(BaseModel):
    phrasesnotfound: list[str] = []
    fieldsnotfound: list[str] = []


class _Warnings(BaseModel):
    phrasesignored: list[str] = []
    quotedphrasesnotfound: list[str] = []
    outputmessages: list[str] = []


class _Result(BaseModel):
    count: int = Field(ge=0)
    idlist: list[str]
    errorlist: _Errors | None = None
    warninglist: _Warnings | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave: how many there are, the ids of one page, what PubMed says about it."""

    count: int
    ids: tuple[str, ...]
    notes: tuple[str, ...]


def read_search(response: Response, expression: str) -> Found:
    """What ``esearch`` found.

    Raises:
        QuerySyntaxError: an unknown field tag, or nothing to search for.
        EngineUnavailable: no answer of esearch, or one that says that PubMed's search failed.
        SettingsError: NCBI does not know the key.
    """
    content = _content(response)
    result = content.get("esearchresult")
    if not isinstance(result, dict):
        raise unreadable(SERVICE, "no result of esearch")
    if "ERROR" in result:
        raise _failure(str(result["ERROR"]))
    try:
        read = _Result.model_validate(result)
    except ValidationError as error:
        raise unreadable(SERVICE, "no result of esearch") from error
    errors, warnings = read.errorlist or _Errors(), read.warninglist or _Warnings()
    if errors.fieldsnotfound:
        field = errors.fieldsnotfound[0]
        raise QuerySyntaxError(
            f"PubMed has no field [{field.strip('[]')}]",
            column=column_of(f"[{field.strip('[]')}]", expression),
            hint=_TAGS,
        )
    return Found(read.count, tuple(dict.fromkeys(read.idlist)), tuple(_notes(errors, warnings)))


def read_titles(response: Response, ids: list[str]) -> list[str]:
    """Titles by ``esummary``, in the order of the ids; empty where it has none.

    Raises:
        EngineUnavailable: no answer of esummary.
    """
    result = _content(response).get("result")
    if not isinstance(result, dict):
        raise unreadable(SERVICE, "no result of esummary")
    return [_title(result.get(pmid)) for pmid in ids]


def read_records(response: Response) -> list[Document]:
    """Records by ``efetch``, as :func:`leafward.corpus.pubmed_xml.read_pubmed` reads them.

    Raises:
        EngineUnavailable: no answer of efetch.
    """
    _check(response)
    if "<PubmedArticleSet" not in response.text[:2_000]:
        raise unreadable(SERVICE, "no records of efetch")
    try:
        return list(_documents(response.text))
    except BrokenXml as error:
        raise unreadable(SERVICE, f"its XML breaks off: {error.message}") from error


def _documents(text: str) -> Iterator[Document]:
    for _, element in elements(BytesIO(text.encode()), ("PubmedArticle",)):
        try:
            yield article_document(element)
        except Rejected:  # neither title nor abstract: nothing to retrieve
            continue


def _content(response: Response) -> dict[str, JsonValue]:
    _check(response)
    content = response.json(SERVICE)
    if not isinstance(content, dict):
        raise unreadable(SERVICE, "no object")
    if "error" in content:
        raise _refusal(str(content["error"]))
    return content


def _check(response: Response) -> None:
    if response.status in _TOO_LONG:
        raise QuerySyntaxError("the expression is too long for PubMed", hint="write a shorter one")
    if response.status >= 300 and not response.text.lstrip().startswith("{"):
        raise EngineRefuses(
            f"PubMed answers with HTTP {response.status}",
            hint="check engines.pubmed_url; what was asked is not at fault",
        )


def _refusal(message: str) -> Exception:
    """What NCBI's gateway says instead of an answer; the rest of it may name key and address."""
    if "key" in message.lower() and "invalid" in message.lower():
        return SettingsError(
            "NCBI does not know the key",
            hint="correct NCBI_API_KEY or engines.ncbi_api_key, or go on without one",
        )
    return EngineUnavailable(
        f"PubMed turns the request away: {message[:100]}",
        hint="fewer requests a second (engines.pubmed_per_second), or an NCBI_API_KEY",
    )


def _failure(message: str) -> Exception:
    """What esearch itself says instead of a result."""
    if "empty term" in message.lower():
        return QuerySyntaxError("the expression is empty", column=1, hint="say what is to be found")
    told = " ".join(message.split())[:200]
    return EngineUnavailable(f"PubMed's search failed: {told}", hint="try again later")


def _notes(errors: _Errors, warnings: _Warnings) -> Iterator[str]:
    for phrase in (*errors.phrasesnotfound, *warnings.quotedphrasesnotfound):
        yield f"not found: {phrase}"
    for phrase in warnings.phrasesignored:
        yield f"ignored: {phrase}"
    for message in warnings.outputmessages:
        if not message.lower().startswith(_ORDINARY):
            yield message


def _title(summary: JsonValue) -> str:
    title = summary.get("title") if isinstance(summary, dict) else None
    return title if isinstance(title, str) else ""
