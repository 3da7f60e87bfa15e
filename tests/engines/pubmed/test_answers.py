"""Answers in the shapes in which E-utilities give them, the broken ones included."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leafward.engines.pubmed.answers import Found, read_records, read_search, read_titles
from leafward.engines.services import Response
from leafward.errors import (
    EngineRefuses,
    EngineUnavailable,
    LeafwardError,
    QuerySyntaxError,
    SettingsError,
)

TERM = "aspirin[tiab] AND foo[xx]"


def result(status: int = 200, **fields: Any) -> Response:
    header = {"type": "esearch", "version": "0.3"}
    return Response(status, json.dumps({"header": header, "esearchresult": fields}))


WARNINGS: dict[str, list[str]] = {
    "phrasesignored": [],
    "quotedphrasesnotfound": [],
    "outputmessages": [],
}


def test_hits() -> None:
    answer = result(
        count="2509",
        retmax="3",
        retstart="0",
        idlist=["41843416", "27102172", "41843416"],
        translationset=[{"from": "resistance training", "to": "x"}],
        querytranslation="x",
    )
    assert read_search(answer, TERM) == Found(2509, ("41843416", "27102172"), ())


def test_no_hits_are_an_answer() -> None:
    warned = WARNINGS | {"outputmessages": ["No items found."]}
    answer = result(count="0", retmax="0", retstart="0", idlist=[], warninglist=warned)
    assert read_search(answer, TERM) == Found(0, (), ())


def test_what_pubmed_reports_of_words_are_notes() -> None:
    answer = result(
        count="3",
        idlist=["1"],
        errorlist={"phrasesnotfound": ["zzzqqq"], "fieldsnotfound": []},
        warninglist={
            "phrasesignored": ["the"],
            "quotedphrasesnotfound": ['"green elephants"'],
            "outputmessages": [
                "Restrictions achieved. start and count adjusted to 0, 9999",
                "Unknown sort schema 'dates' ignored",
            ],
        },
    )
    assert read_search(answer, TERM).notes == (
        "not found: zzzqqq",
        'not found: "green elephants"',
        "ignored: the",
        "Unknown sort schema 'dates' ignored",
    )


def test_absent_and_null_lists() -> None:
    assert read_search(result(count="1", idlist=["7"], errorlist=None), TERM).ids == ("7",)


@pytest.mark.parametrize("field", ["xx", "[xx]", "XX"])
def test_an_unknown_field_is_the_expression_s_fault(field: str) -> None:
    errors = {"phrasesnotfound": [], "fieldsnotfound": [field]}
    with pytest.raises(QuerySyntaxError, match="no field") as caught:
        read_search(result(count="0", idlist=[], errorlist=errors), TERM)
    assert caught.value.column == TERM.index("[xx]") + 1
    assert "[tiab]" in caught.value.hint


def test_nothing_to_search_for() -> None:
    with pytest.raises(QuerySyntaxError, match="empty"):
        read_search(result(ERROR="Empty term and query_key - nothing todo"), " ")


RAW = '{"esearchresult":{"ERROR":"Search Backend failed: Exception:\n\'retstart\' is too large"}}'


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (result(ERROR="Search Backend failed: cannot connect"), "cannot connect"),
        (Response(400, RAW), "'retstart' is too large"),
        (
            Response(200, '{"error":"API rate limit exceeded","api-key":"203.0.113.7"}'),
            "rate limit",
        ),
        (Response(200, "<?xml version='1.0'?><eSearchResult><ERROR>x</ERROR>"), "XML"),
        (Response(200, "<html><title>Error Blocked Diagnostic</title></html>"), "web page"),
        (Response(200, ""), "no JSON"),
        (Response(200, "[1]"), "no object"),
        (Response(200, "{}"), "no result of esearch"),
        (Response(200, "[" * 100_000), "no JSON"),
        (result(count="-1", idlist=[]), "no result of esearch"),
        (result(count="many", idlist=[]), "no result of esearch"),
        (result(count="5"), "no result of esearch"),
        (result(count="5", idlist="12"), "no result of esearch"),
    ],
)
def test_trouble_is_never_the_expression_s_fault(answer: Response, told: str) -> None:
    with pytest.raises(EngineUnavailable, match=told) as caught:
        read_search(answer, TERM)
    assert caught.value.retryable
    assert caught.value.hint
    assert "203.0.113.7" not in caught.value.message


@pytest.mark.parametrize(
    ("answer", "kind", "retryable"),
    [
        (Response(400, '{"error":"API key invalid","api-key":"s3cret"}'), SettingsError, False),
        (Response(404, "<html>not here</html>"), EngineRefuses, False),
        (Response(302, ""), EngineRefuses, False),
        (Response(414, "<html>Request-URI Too Long</html>"), QuerySyntaxError, False),
    ],
)
def test_refusals(answer: Response, kind: type[LeafwardError], retryable: bool) -> None:
    with pytest.raises(kind) as caught:
        read_search(answer, TERM)
    assert caught.value.retryable is retryable
    assert "s3cret" not in f"{caught.value.message} {caught.value.hint}"


def test_titles_in_the_order_of_the_ids() -> None:
    summaries = {
        "uids": ["2", "1", "9"],
        "1": {"uid": "1", "title": "One."},
        "2": {"uid": "2", "title": "Two."},
        "9": {"uid": "9", "error": "cannot get document summary"},
    }
    answer = Response(200, json.dumps({"result": summaries}))
    assert read_titles(answer, ["1", "2", "9", "x"]) == ["One.", "Two.", "", ""]
    with pytest.raises(EngineUnavailable):
        read_titles(Response(200, '{"result": []}'), ["1"])


ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article>
<Journal><Title>J</Title><JournalIssue><PubDate><Year>2004</Year></PubDate></JournalIssue></Journal>
<ArticleTitle>{title}</ArticleTitle></Article></MedlineCitation></PubmedArticle>"""


def test_records() -> None:
    text = "".join(ARTICLE.format(pmid=n, title=title) for n, title in ((1, "A &amp; B"), (2, "")))
    answer = Response(200, f'<?xml version="1.0" ?><PubmedArticleSet>{text}</PubmedArticleSet>')
    (record,) = read_records(answer)
    assert (record.id, record.title) == ("1", "A & B")


@pytest.mark.parametrize(
    "text",
    [
        "<?xml version='1.0'?><eFetchResult><ERROR>Unable to obtain query</ERROR></eFetchResult>",
        "<PubmedArticleSet><PubmedArticle>",
        "<PubmedArticleSet><!DOCTYPE x [<!ENTITY a 'b'>]></PubmedArticleSet>",
        "{}",
    ],
)
def test_broken_records(text: str) -> None:
    with pytest.raises(EngineUnavailable):
        read_records(Response(200, text))
