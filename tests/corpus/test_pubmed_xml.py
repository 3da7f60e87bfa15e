"""PubMed's XML: fields, versions and deletions, and files that are broken or hostile."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from leafward.corpus.problems import Problem
from leafward.corpus.pubmed_xml import read_pubmed
from leafward.errors import CorpusError
from leafward.types import Document

HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<!DOCTYPE PubmedArticleSet SYSTEM "http://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
)
FULL = """<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">
<PMID Version="1">11</PMID>
<Article><Journal><ISSN>0140-6736</ISSN>
<JournalIssue><Volume>1</Volume><PubDate><Year>2004</Year><Month>Mar</Month><Day>7</Day></PubDate>
</JournalIssue><Title>Lancet (London, England)</Title><ISOAbbreviation>Lancet</ISOAbbreviation>
</Journal>
<ArticleTitle>Effect of <i>low-dose</i> aspirin &amp; H<sub>2</sub>O in
  stroke.</ArticleTitle>
<Abstract><AbstractText Label="BACKGROUND">Caf&#233; x &lt; y.</AbstractText>
<AbstractText Label="UNLABELLED">Plain.</AbstractText><AbstractText/></Abstract>
<AuthorList><Author><LastName>Smith</LastName><ForeName>John A</ForeName><Initials>JA</Initials>
</Author><Author><CollectiveName>Stroke Group</CollectiveName></Author></AuthorList>
<Language>eng</Language>
<PublicationTypeList><PublicationType UI="D016449">Randomized Controlled Trial</PublicationType>
</PublicationTypeList></Article>
<MedlineJournalInfo><MedlineTA>Lancet</MedlineTA></MedlineJournalInfo>
<ChemicalList><Chemical><NameOfSubstance UI="D001241">Aspirin</NameOfSubstance></Chemical>
</ChemicalList>
<MeshHeadingList><MeshHeading><DescriptorName MajorTopicYN="N">Stroke</DescriptorName>
<QualifierName MajorTopicYN="Y">drug therapy</QualifierName></MeshHeading>
<MeshHeading><DescriptorName MajorTopicYN="Y">Aspirin</DescriptorName></MeshHeading>
</MeshHeadingList>
<KeywordList><Keyword MajorTopicYN="N">prevention</Keyword></KeywordList></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">11</ArticleId>
<ArticleId IdType="doi">10.1/x</ArticleId><ArticleId IdType="pmc">PMC7</ArticleId></ArticleIdList>
</PubmedData></PubmedArticle>"""


def article(pmid: str, title: str, published: str = "<Year>2001</Year>") -> str:
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><Journal><JournalIssue>"
        f"<PubDate>{published}</PubDate></JournalIssue></Journal>"
        f"<ArticleTitle>{title}</ArticleTitle></Article></MedlineCitation></PubmedArticle>\n"
    )


def write(path: Path, *articles: str, deleted: str = "") -> Path:
    gone = f"<DeleteCitation><PMID>{deleted}</PMID></DeleteCitation>" if deleted else ""
    text = f"{HEAD}<PubmedArticleSet>\n{''.join(articles)}{gone}</PubmedArticleSet>"
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def test_a_record_with_every_field(tmp_path: Path) -> None:
    assert list(read_pubmed(write(tmp_path / "a.xml", FULL))) == [
        Document(
            "11",
            "BACKGROUND: Café x < y. Plain.",
            "Effect of low-dose aspirin & H2O in stroke.",
            {
                "date": "2004-03-07",
                "journal": "Lancet (London, England)",
                "journal_abbreviation": "Lancet",
                "authors": ("Smith, JA", "Stroke Group"),
                "languages": ("eng",),
                "publication_types": ("Randomized Controlled Trial",),
                "mesh": ("Stroke", "Stroke/drug therapy", "Aspirin"),
                "mesh_major": ("Stroke/drug therapy", "Aspirin"),
                "keywords": ("prevention",),
                "substances": ("Aspirin",),
                "doi": "10.1/x",
                "pmcid": "PMC7",
            },
        )
    ]


@pytest.mark.parametrize(
    ("published", "date"),
    [
        ("<Year>2001</Year>", "2001"),
        ("<Year>2001</Year><Month>11</Month>", "2001-11"),
        ("<Year>2001</Year><Season>Winter</Season>", "2001"),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", "1998-12"),
        ("<MedlineDate>2000 Spring</MedlineDate>", "2000"),
        ("<MedlineDate>about 1990</MedlineDate>", None),
        ("", None),
    ],
)
def test_dates(tmp_path: Path, published: str, date: str | None) -> None:
    (document,) = read_pubmed(write(tmp_path / "a.xml.gz", article("1", "T", published)))
    assert document.metadata.get("date") == date


def test_later_files_replace_and_delete(tmp_path: Path) -> None:
    write(tmp_path / "p25n0001.xml.gz", article("1", "old"), article("2", "two"), article("3", "x"))
    write(tmp_path / "p25n0002.xml", article("1", "newer"), article("1", "newest"), deleted="2")
    write(tmp_path / "p25n0003.xml", article("2", "two again"), deleted="3")
    (tmp_path / "notes.txt").write_text("not XML")
    found = [(document.id, document.title) for document in read_pubmed(tmp_path)]
    assert found == [("2", "two again"), ("1", "newest")]


def test_reading_streams(tmp_path: Path) -> None:
    write(tmp_path / "b.xml", article("1", "first"))
    (tmp_path / "a.xml").write_text("never reached")
    assert next(read_pubmed(tmp_path)).title == "first"


def test_what_is_no_record_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xml", article("1", ""), article("", "no id"), article("2", "good"))
    problems: list[Problem] = []
    assert [document.id for document in read_pubmed(path, problems=problems)] == ["2"]
    assert [(problem.kind, problem.line) for problem in problems] == [
        ("empty-text", 4),
        ("broken-line", 5),
    ]
    with pytest.raises(CorpusError, match="neither title nor abstract"):
        list(read_pubmed(path, on_problem="refuse"))


def test_a_file_that_breaks_off_gives_what_it_holds(tmp_path: Path) -> None:
    articles = [article(str(n), hashlib.sha512(b"%d" % n).hexdigest()) for n in range(1000)]
    whole = write(tmp_path / "a.xml", *articles).read_bytes()
    cut, packed = tmp_path / "cut.xml", tmp_path / "packed.xml.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    packed.write_bytes(gzip.compress(whole)[: len(whole) // 6])
    for path, kind in ((cut, "broken-line"), (packed, "unreadable")):
        problems: list[Problem] = []
        found = [document.id for document in read_pubmed(path, problems=problems)]
        assert 100 < len(found) < 1000 and found == [str(n) for n in range(len(found))]
        assert [problem.kind for problem in problems] == [kind]


BILLION = (
    '<?xml version="1.0"?>\n<!DOCTYPE x [\n<!ENTITY a "aaaaaaaaaa">\n'
    '<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">\n]>\n'
    f"<PubmedArticleSet>{article('1', '&b;')}</PubmedArticleSet>"
)
OUTSIDE = (
    '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/passwd">]>\n'
    f"<PubmedArticleSet>{article('1', '&file;')}</PubmedArticleSet>"
)
PARAMETER = '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>\n<x/>'


@pytest.mark.parametrize("hostile", [BILLION, OUTSIDE, PARAMETER])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_no_entity_is_ever_declared(tmp_path: Path, hostile: str, encoding: str) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(hostile.replace('<?xml version="1.0"?>\n', "").encode(encoding))
    problems: list[Problem] = []
    assert list(read_pubmed(path, problems=problems)) == []
    assert "declares the entity" in problems[0].message


def test_bottomless_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<PubmedArticle>" * 100_000)
    problems: list[Problem] = []
    assert list(read_pubmed(path, problems=problems)) == []
    assert "inside each other" in problems[0].message


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.xml"):
        with pytest.raises(CorpusError, match="no PubMed XML"):
            list(read_pubmed(path))
