"""Reading what ClinicalTrials.gov's API v2 answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from leafward.engines.services.exchange import Response, unreadable
from leafward.engines.services.service import column_of
from leafward.errors import EngineRefuses, QuerySyntaxError
from leafward.types import JsonValue

SERVICE = "ClinicalTrials.gov"

_HINT = 'write words, "phrases", AND, OR, NOT and parentheses; [ ] only after AREA and RANGE'
_AT = re.compile(
    r"(?:no viable alternative|extraneous input|mismatched input|missing .*?) (?:at )?(?:input )?"
    r"'(?P<text>.*?)'(?= expecting| at|\s*$)",
    re.DOTALL | re.MULTILINE,
)


class _Page(BaseModel):
    studies: list[dict[str, Any]]  # not JsonValue: pydantic follows an alias to itself for ever
    total: int | None = Field(None, alias="totalCount", ge=0)
    next_page: str | None = Field(None, alias="nextPageToken")


@dataclass(frozen=True, slots=True)
class Page:
    """Studies of one page, how many there are in all where that was asked, and the next page."""

    studies: tuple[dict[str, JsonValue], ...]
    total: int | None
    next_page: str | None


def read_page(response: Response, expression: str) -> Page:
    """A page of studies.

    Raises:
        QuerySyntaxError: the service cannot parse the expression, or finds it too long.
        EngineUnavailable: no answer of the API, or a refusal of anything but the expression.
    """
    if response.status >= 300:
        raise _refusal(response, expression)
    try:
        page = _Page.model_validate(response.json(SERVICE))
    except ValidationError as error:
        raise unreadable(SERVICE, "no page of studies") from error
    return Page(tuple(page.studies), page.total, page.next_page)


def identity(study: dict[str, JsonValue]) -> tuple[str, str]:
    """NCT number and brief title of a study.

    Raises:
        EngineUnavailable: it has no number.
    """
    protocol = study.get("protocolSection")
    module = protocol.get("identificationModule") if isinstance(protocol, dict) else None
    number = module.get("nctId") if isinstance(module, dict) else None
    if not isinstance(module, dict) or not isinstance(number, str):
        raise unreadable(SERVICE, "a study without a number")
    title = module.get("briefTitle")
    return number, title if isinstance(title, str) else ""


def _refusal(response: Response, expression: str) -> Exception:
    text = response.text.strip()
    if response.status in (413, 414, 431) or "too complicated query" in text.lower():
        return QuerySyntaxError(
            "the expression is too long for ClinicalTrials.gov", hint="use fewer words"
        )
    if "parsing query" in text.lower():
        return _syntax_error(text, expression)
    return EngineRefuses(
        f"ClinicalTrials.gov answers with HTTP {response.status}",
        hint="check engines.trials_url; what was asked is not at fault",
    )


def _syntax_error(text: str, expression: str) -> QuerySyntaxError:
    """The parser's complaint: where it gave up, without the list of what it would have taken."""
    found = _AT.search(text)
    if found is None:
        return QuerySyntaxError("ClinicalTrials.gov cannot parse the expression", hint=_HINT)
    words = found["text"]
    if words == "<EOF>":
        return QuerySyntaxError(
            "the expression ends too soon", column=len(expression) + 1, hint=_HINT
        )
    start = column_of(words, expression)
    return QuerySyntaxError(
        f"ClinicalTrials.gov cannot go on at {words[-40:]!r}",
        column=None if start is None else start + len(words) - 1,
        hint=_HINT,
    )
