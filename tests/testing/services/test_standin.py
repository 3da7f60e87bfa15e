"""The stand-ins behave as the services do, seen through plain HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from leafward.errors import SettingsError
from leafward.testing import Fault, Inject, StandInServices
from leafward.types import Document

RECORDS = [
    Document(str(number), "Aspirin <b> & co.", f"T{number}", {"date": f"200{number % 5}-03-04"})
    for number in range(1, 61)
]
STUDIES = [Document(f"NCT{n}", "Stroke.", f"S{n}", {"date": f"20{n}-01-01"}) for n in range(10, 25)]


@pytest.fixture(scope="module")
def services() -> Iterator[StandInServices]:
    with StandInServices(RECORDS, STUDIES, key="k", window=50) as services:
        yield services


def ask(services: StandInServices, utility: str = "esearch", **fields: str) -> httpx.Response:
    url = f"http://127.0.0.1:{services.port}/entrez/eutils/{utility}.fcgi"
    return httpx.post(url, data={"db": "pubmed", "retmode": "json", **fields}, trust_env=False)


def search(services: StandInServices, **fields: str) -> dict[str, Any]:
    result: dict[str, Any] = ask(services, **fields).json()["esearchresult"]
    return result


def studies(services: StandInServices, **fields: str) -> httpx.Response:
    url = f"http://127.0.0.1:{services.port}/api/v2/studies"
    return httpx.get(url, params=fields, trust_env=False)


def test_pages_of_ids(services: StandInServices) -> None:
    first = search(services, term="aspirin")
    assert (first["count"], first["retmax"], len(first["idlist"])) == ("60", "20", 20)
    second = search(services, term="aspirin", retstart="20", retmax="5")
    assert not set(first["idlist"]) & set(second["idlist"])
    assert search(services, term="aspirin", retmax="0")["idlist"] == []


def test_no_more_than_the_window(services: StandInServices) -> None:
    cut = search(services, term="aspirin", retmax="60")
    assert (cut["count"], len(cut["idlist"])) == ("60", 50)
    assert cut["warninglist"]["outputmessages"][0].startswith("Restrictions achieved")
    beyond = ask(services, term="aspirin", retstart="50")
    assert beyond.status_code == 400
    with pytest.raises(ValueError, match="control character"):
        beyond.json()


def test_days_of_publication_and_entry(services: StandInServices) -> None:
    days = {"datetype": "pdat", "mindate": "2003/01/01", "maxdate": "2004/12/31"}
    assert search(services, term="aspirin", **days)["count"] == "24"
    entered = search(services, term="(aspirin) AND 2000/01/01:2000/01/01[edat]")
    assert entered["count"] == "50"


def test_what_it_does_not_understand(services: StandInServices) -> None:
    field = search(services, term="aspirin[xx]")
    assert (field["count"], field["errorlist"]["fieldsnotfound"]) == ("0", ["xx"])
    phrase = search(services, term="(aspirin")
    assert phrase["errorlist"]["phrasesnotfound"] == ["(aspirin"]
    assert "Empty term" in search(services, term=" ")["ERROR"]


def test_keys_and_databases(services: StandInServices) -> None:
    assert ask(services, term="aspirin", api_key="k").status_code == 200
    wrong = ask(services, term="aspirin", api_key="x")
    assert (wrong.status_code, wrong.json()["error"]) == (400, "API key invalid")
    assert ask(services, term="aspirin", db="gene").status_code == 400


def test_summaries_and_records(services: StandInServices) -> None:
    result = ask(services, "esummary", id="3,999").json()["result"]
    assert result["3"]["title"] == "T3"
    assert "error" in result["999"]
    text = ask(services, "efetch", id="3,999", retmode="xml").text
    assert text.count("<PubmedArticle>") == 1
    assert "Aspirin &lt;b&gt; &amp; co." in text


def test_studies(services: StandInServices) -> None:
    first = studies(services, **{"query.term": "stroke", "pageSize": "10", "countTotal": "true"})
    page = first.json()
    assert (page["totalCount"], len(page["studies"])) == (15, 10)
    more = {"query.term": "stroke", "pageSize": "10", "pageToken": page["nextPageToken"]}
    rest = studies(services, **more).json()
    assert len(rest["studies"]) == 5
    assert "nextPageToken" not in rest
    assert "totalCount" not in rest
    assert studies(services, **{"query.term": "stroke", "pageToken": "?"}).status_code == 400


def test_studies_it_cannot_find(services: StandInServices) -> None:
    bracket = studies(services, **{"query.term": "stroke [ti]"})
    assert bracket.status_code == 400
    assert bracket.text.startswith("Error parsing query in Other terms: no viable alternative")
    assert studies(services, **{"filter.phase": "3"}).text == "`filter.phase` is unknown parameter"


def test_what_is_not_there(services: StandInServices) -> None:
    assert ask(services, "einfo").status_code == 404
    assert httpx.get(f"http://127.0.0.1:{services.port}/", trust_env=False).status_code == 404


def test_only_faults_of_services(services: StandInServices) -> None:
    with pytest.raises(SettingsError, match="LENGTH"):
        services.strike(Inject(Fault.LENGTH))


def test_what_was_asked_is_counted() -> None:
    with StandInServices(RECORDS, faults=[Inject(Fault.UNAVAILABLE, nth={2})]) as services:
        statuses = [ask(services, term="aspirin").status_code for _ in range(3)]
        stats = services.stats()
    assert statuses == [200, 503, 200]
    assert (stats.requests, stats.faults) == (3, {"503": 1})
    assert list(stats.prompts.values()) == [3]
    assert (stats.kinds["esearch"].answered, stats.kinds["esearch"].rejected) == (2, 1)


def test_it_can_be_started_again() -> None:
    services = StandInServices(RECORDS)
    for _ in range(2):
        with services:
            assert search(services, term="aspirin", retmax="1")["count"] == "60"
