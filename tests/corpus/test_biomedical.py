"""PubMed's XML and ClinicalTrials.gov's JSON are known without being told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from leafward.corpus import read_corpus
from leafward.errors import CorpusError


def article(pmid: int, title: str) -> str:
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article>"
        f"<ArticleTitle>{title}</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
    )


def xml(*articles: str) -> bytes:
    text = "".join(articles)
    return f'<?xml version="1.0"?>\n<PubmedArticleSet>{text}</PubmedArticleSet>'.encode()


def study(number: int) -> dict[str, object]:
    identity = {"nctId": f"NCT{number}", "briefTitle": f"Study {number}"}
    return {"protocolSection": {"identificationModule": identity}}


def test_a_file_of_pubmed(tmp_path: Path) -> None:
    for name, data in (("a.xml", xml(article(1, "One"))), ("b.XML", xml(article(2, "Two")))):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "pubmed24n0001.xml.gz").write_bytes(gzip.compress(xml(article(3, "Three"))))
    for name, pmid in (("a.xml", "1"), ("b.XML", "2"), ("pubmed24n0001.xml.gz", "3")):
        (document,) = read_corpus(tmp_path / name).documents
        assert document.id == pmid


def test_a_folder_of_pubmed_beside_other_files(tmp_path: Path) -> None:
    (tmp_path / "README.txt").write_text("How to read this.")
    (tmp_path / "pubmed24n0001.xml.gz.md5").write_text("MD5 = 0")
    (tmp_path / "pubmed24n0001.xml.gz").write_bytes(
        gzip.compress(xml(article(1, "Old"), article(2, "Two"), article(3, "")))
    )
    (tmp_path / "pubmed24n0002.xml.gz").write_bytes(gzip.compress(xml(article(1, "New"))))
    corpus = read_corpus(tmp_path)
    assert {document.id: document.title for document in corpus.documents} == {
        "1": "New",
        "2": "Two",
    }
    (problem,) = corpus.problems
    assert problem.kind == "empty-text"
    with pytest.raises(CorpusError, match="neither title nor abstract"):
        read_corpus(tmp_path, on_problem="refuse")


@pytest.mark.parametrize("name", ["s.json", "s.json.gz", "s.jsonl", "s.jsonl.gz"])
def test_studies(tmp_path: Path, name: str) -> None:
    studies = [study(1), study(2)]
    text = (
        "".join(json.dumps(each) + "\n" for each in studies)
        if ".jsonl" in name
        else json.dumps({"studies": studies, "nextPageToken": "x"})
    )
    data = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    for path in (tmp_path / name, tmp_path):
        assert [document.id for document in read_corpus(path).documents] == ["NCT1", "NCT2"]


def test_rows_and_texts_are_what_they_were(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"_id": "a", "text": "x", "protocolSection": {}}\n')
    assert read_corpus(tmp_path / "rows.jsonl").documents[0].id == "a"
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "note.md").write_text("# Note\n\nWords.\n")
    (tmp_path / "texts" / "feed.xml").write_text("<rss/>")
    (tmp_path / "texts" / "settings.json").write_text("{}")
    assert [each.id for each in read_corpus(tmp_path / "texts").documents] == ["note.md#0"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("feed.xml", b"<rss/>", "not PubMed's"),
        ("settings.json", b"{}", "no studies"),
        ("broken.xml.gz", b"\x1f\x8bnot gzip", "nothing to read"),
    ],
)
def test_what_is_neither(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=message) as caught:
        read_corpus(tmp_path / name)
    assert caught.value.hint
