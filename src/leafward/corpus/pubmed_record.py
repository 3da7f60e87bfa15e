"""One PubmedArticle element as a document."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from leafward.corpus.ids import safe_id
from leafward.corpus.problems import Rejected, quoted
from leafward.types import Document, MetaValue

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_IDS = {"doi": "doi", "pmc": "pmcid"}


def article_document(article: Element) -> Document:
    """Make a document of a record; its fields become metadata that the Boolean engine reads.

    ``mesh`` holds each heading and each ``heading/qualifier``, ``mesh_major`` those marked as a
    major topic, ``date`` is as exact as the record has it.

    Raises:
        Rejected: no PMID, or neither title nor abstract.
    """
    pmid = safe_id(_text(article.find("MedlineCitation/PMID")))
    if not pmid:
        raise Rejected("broken-line", "an article without PMID")
    title = _text(article.find("MedlineCitation/Article/ArticleTitle")) or _text(
        article.find("MedlineCitation/Article/VernacularTitle")
    )
    abstract = " ".join(_sections(article))
    if not title and not abstract:
        raise Rejected("empty-text", f"article {quoted(pmid)} has neither title nor abstract")
    return Document(pmid, abstract, title, _metadata(article))


def _metadata(article: Element) -> dict[str, MetaValue]:
    citation = "MedlineCitation/"
    headings = list(_headings(article))
    fields: dict[str, MetaValue] = {
        "date": _date(article.find(f"{citation}Article/Journal/JournalIssue/PubDate")),
        "journal": _text(article.find(f"{citation}Article/Journal/Title")),
        "journal_abbreviation": _text(article.find(f"{citation}MedlineJournalInfo/MedlineTA"))
        or _text(article.find(f"{citation}Article/Journal/ISOAbbreviation")),
        "authors": tuple(_authors(article)),
        "languages": _texts(article, f"{citation}Article/Language"),
        "publication_types": _texts(
            article, f"{citation}Article/PublicationTypeList/PublicationType"
        ),
        "mesh": tuple(dict.fromkeys(name for name, _ in headings)),
        "mesh_major": tuple(dict.fromkeys(name for name, major in headings if major)),
        "keywords": _texts(article, f"{citation}KeywordList/Keyword"),
        "substances": _texts(article, f"{citation}ChemicalList/Chemical/NameOfSubstance"),
    }
    for identifier in article.iterfind("PubmedData/ArticleIdList/ArticleId"):
        if name := _IDS.get(identifier.get("IdType", "")):
            fields[name] = _text(identifier)
    return {name: value for name, value in fields.items() if value}


def _sections(article: Element) -> Iterator[str]:
    """Parts of the abstract, each after its label where it has one."""
    for part in article.iterfind("MedlineCitation/Article/Abstract/AbstractText"):
        label, text = part.get("Label", "").strip(), _text(part)
        if text:
            yield f"{label}: {text}" if label and label != "UNLABELLED" else text


def _headings(article: Element) -> Iterator[tuple[str, bool]]:
    for heading in article.iterfind("MedlineCitation/MeshHeadingList/MeshHeading"):
        name = ""
        for part in heading:
            text, major = _text(part), part.get("MajorTopicYN") == "Y"
            if part.tag == "DescriptorName" and text:
                name = text
                yield name, major
            elif part.tag == "QualifierName" and text and name:
                yield f"{name}/{text}", major


def _authors(article: Element) -> Iterator[str]:
    for author in article.iterfind("MedlineCitation/Article/AuthorList/Author"):
        group = _text(author.find("CollectiveName"))
        family, initials = _text(author.find("LastName")), _text(author.find("Initials"))
        if group:
            yield group
        elif family:
            yield f"{family}, {initials}" if initials else family


def _date(published: Element | None) -> str:
    """``2005``, ``2005-03`` or ``2005-03-17``; of ``1998 Dec-1999 Jan`` the beginning."""
    if published is None:
        return ""
    written = _text(published.find("MedlineDate")).replace("-", " ").split()
    year = _text(published.find("Year")) or (written[0] if written else "")
    if not (year.isascii() and year.isdecimal() and len(year) == 4):
        return ""
    month = _month(_text(published.find("Month")) or (written[1] if len(written) > 1 else ""))
    day = _text(published.find("Day"))
    if not month or not (day.isascii() and day.isdecimal()):
        return f"{year}-{month:02d}" if month else year
    return f"{year}-{month:02d}-{int(day[:2]):02d}"


def _month(written: str) -> int:
    if written.isascii() and written.isdecimal():
        return int(written[:2])
    short = written[:3].lower()
    return _MONTHS.index(short) + 1 if short in _MONTHS else 0


def _texts(article: Element, path: str) -> tuple[str, ...]:
    return tuple(filter(None, (_text(element) for element in article.iterfind(path))))


def _text(element: Element | None) -> str:
    """All text under an element, without markup, with single blanks."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
