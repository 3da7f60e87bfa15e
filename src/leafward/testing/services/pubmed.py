"""E-utilities as they behave: esearch, esummary and efetch over local records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any
from xml.sax.saxutils import escape

from leafward.errors import QuerySyntaxError
from leafward.testing.services.answer import Asked, text_response
from leafward.testing.services.backing import Backing, tag_of
from leafward.testing.wire import HttpResponse
from leafward.types import Document

PATH = "/entrez/eutils"
WINDOW = 9_999
"""Records of one search that are given out."""

_ENTERED = re.compile(r"\((.*)\) AND (\d{4}/\d\d/\d\d):(\d{4}/\d\d/\d\d)\[edat\]\Z", re.DOTALL)
_FIRST_ENTRY = date(2000, 1, 1)


class PubMed:
    """Answers requests of E-utilities; knows only the key it is given."""

    def __init__(self, backing: Backing, *, key: str | None, window: int = WINDOW) -> None:
        self._backing = backing
        self._key = key
        self._window = window
        # Records enter PubMed one after another, fifty a day, in the order of the corpus.
        self._entered = {
            doc_id: _FIRST_ENTRY + timedelta(days=number // 50)
            for number, doc_id in enumerate(backing.documents)
        }

    def answer(self, utility: str, asked: Asked) -> HttpResponse:
        """The answer of one utility."""
        given = asked.fields.get("api_key")
        if given is not None and given != self._key:
            refusal = {"error": "API key invalid", "api-key": given}
            return HttpResponse.json(refusal, status=400)
        if asked.fields.get("db") != "pubmed":
            return text_response("<ERROR>Invalid db name specified</ERROR>", status=400, xml=True)
        if utility == "esearch":
            return self._search(asked)
        ids = [each for each in asked.fields.get("id", "").split(",") if each]
        return self._summaries(ids) if utility == "esummary" else self._records(ids)

    def _search(self, asked: Asked) -> HttpResponse:
        term = asked.fields.get("term", "")
        start, size = asked.number("retstart", 0), asked.number("retmax", 20)
        if not term.strip():
            return _result({"ERROR": "Empty term and query_key - nothing todo"})
        if start > self._window - 1:
            # A raw line end within a string, as PubMed writes it: no strict reader takes this.
            message = f"Search Backend failed: Exception:\n'retstart' cannot be larger than {start}"
            return text_response(f'{{"esearchresult":{{"ERROR":"{message}"}}}}', status=400)
        order = "relevance" if asked.fields.get("sort") == "relevance" else "date"
        try:
            found = self._found(term, asked, order)
        except QuerySyntaxError as error:
            return _result(_nothing(error, term))
        shown = found[start : min(start + size, self._window)]
        told = {"count": str(len(found)), "retmax": str(len(shown)), "retstart": str(start)}
        warnings: list[str] = [] if found else ["No items found."]
        if start + size > self._window:
            left = self._window - start
            warnings = [f"Restrictions achieved. start and count adjusted to {start}, {left}"]
        return _result({**told, "idlist": shown, **_warned(warnings)})

    def _found(self, term: str, asked: Asked, order: str) -> list[str]:
        narrowed = _ENTERED.match(term)
        expression = narrowed[1] if narrowed else term
        first, last = asked.fields.get("mindate"), asked.fields.get("maxdate")
        if first and last and asked.fields.get("datetype") == "pdat":
            self._backing.find(expression)  # its errors are at its own columns
            expression = f"({expression}) AND {first}:{last}[dp]"
        found = self._backing.find(
            expression, order="relevance" if order == "relevance" else "date"
        )
        if narrowed is None:
            return found
        lowest, highest = (
            date.fromisoformat(day.replace("/", "-")) for day in narrowed.group(2, 3)
        )
        return [doc_id for doc_id in found if lowest <= self._entered[doc_id] <= highest]

    def _summaries(self, ids: Sequence[str]) -> HttpResponse:
        result: dict[str, Any] = {"uids": list(ids)}
        for uid in ids:
            document = self._backing.documents.get(uid)
            if document is None:
                result[uid] = {"uid": uid, "error": "cannot get document summary"}
            else:
                result[uid] = {"uid": uid, "title": document.title}
        return HttpResponse.json(
            {"header": {"type": "esummary", "version": "0.3"}, "result": result}
        )

    def _records(self, ids: Sequence[str]) -> HttpResponse:
        known = (self._backing.documents[uid] for uid in ids if uid in self._backing.documents)
        articles = "\n".join(map(_article, known))
        text = f'<?xml version="1.0" ?>\n<PubmedArticleSet>\n{articles}\n</PubmedArticleSet>'
        return text_response(text, xml=True)


def _day(written: str) -> date:
    return date.fromisoformat(written.replace("/", "-"))


def _nothing(error: QuerySyntaxError, term: str) -> dict[str, Any]:
    """PubMed refuses no expression: it says which field it has not, or which words it lacks."""
    tag = tag_of(error, term)
    errors = {"phrasesnotfound": [] if tag else [term], "fieldsnotfound": [tag] if tag else []}
    found = {"count": "0", "retmax": "0", "retstart": "0", "idlist": []}
    return {**found, "errorlist": errors, **_warned(["No items found."])}


def _warned(messages: list[str]) -> dict[str, Any]:
    if not messages:
        return {}
    nothing: list[str] = []
    told = {"phrasesignored": nothing, "quotedphrasesnotfound": nothing, "outputmessages": messages}
    return {"warninglist": told}


def _result(content: dict[str, Any]) -> HttpResponse:
    header = {"type": "esearch", "version": "0.3"}
    return HttpResponse.json({"header": header, "esearchresult": content})


def _article(document: Document) -> str:
    return (
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{escape(document.id)}</PMID><Article>'
        f"<ArticleTitle>{escape(document.title)}</ArticleTitle><Abstract><AbstractText>"
        f"{escape(document.text)}</AbstractText></Abstract></Article></MedlineCitation>"
        "</PubmedArticle>"
    )
