from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leafward.corpus import Corpus, read_corpus
from leafward.corpus.formats import read_html, read_pdf
from leafward.corpus.problems import Rejected
from leafward.errors import CorpusError

SENTENCE = "Blood carries oxygen to the tissues of the body by means of haemoglobin, number {}."
PAGE = f"""<!doctype html><html><head><title>Site</title><meta charset="utf-8"></head><body>
<nav><a href="/">Home</a></nav><article><h1>Oxygen</h1>
{"".join(f"<p>{SENTENCE.format(n)}</p>" for n in range(4))}<h2>At altitude</h2>
{"".join(f"<p>{SENTENCE.format(n)}</p>" for n in range(4, 8))}</article>
<script>track()</script></body></html>"""


def pdf(*pages: str) -> bytes:
    """A small PDF file, each page with its lines of text."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, page in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in page.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
            f" /Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * n} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return _file(objects)


def _file(objects: list[str]) -> bytes:
    content, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(content)}\n%%EOF\n"
    return content + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


def warn_not(message: str) -> None:
    raise AssertionError(message)


def test_html_keeps_text_and_headings(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    corpus = read_corpus(tmp_path)
    assert {document.title for document in corpus.documents} == {"Oxygen"}
    assert [document.metadata["section"] for document in corpus.documents] == [
        "Oxygen",
        "Oxygen > At altitude",
    ]
    text = " ".join(document.text for document in corpus.documents)
    assert all(SENTENCE.format(n) in text for n in range(8))
    assert "Home" not in text
    assert "track" not in text


def test_short_html_is_read_too() -> None:
    parsed = read_html(b"<html><body><h1>Note</h1><p>Call Ann.</p></body></html>", warn_not)
    assert "Call Ann." in parsed.sections[0].text


def test_pdf_pages_become_metadata(tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(pdf("First page\nof text.", "Second page."))
    documents = read_corpus(tmp_path).documents
    assert [" ".join(document.text.split()) for document in documents] == [
        "First page of text.",
        "Second page.",
    ]
    assert [dict(document.metadata) for document in documents] == [
        {"source": "paper.pdf", "position": n, "page": n + 1} for n in range(2)
    ]
    assert documents[0].title == "paper"


def test_pdf_without_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf("", ""))
    (tmp_path / "torn.pdf").write_bytes(pdf("text")[:200])
    (tmp_path / "none.pdf").write_bytes(b"")
    (tmp_path / "a.txt").write_text("a")
    corpus = read_corpus(tmp_path)
    assert [(p.path.name, p.kind) for p in corpus.problems] == [
        ("none.pdf", "unreadable"),
        ("scan.pdf", "empty-text"),
        ("torn.pdf", "unreadable"),
    ]
    assert "OCR" in corpus.problems[1].message


def test_an_encrypted_pdf_is_reported() -> None:
    import io

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("secret"))))
    writer.encrypt("password", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    with pytest.raises(Rejected, match="not readable as PDF") as caught:
        read_pdf(buffer.getvalue(), warn_not)
    assert caught.value.kind == "unreadable"


def test_a_damaged_page_costs_that_page_only() -> None:
    damaged = pdf("one", "two", "three").replace(b"(two) Tj", b"[[[[ Tj Q")
    warnings: list[str] = []
    parsed = read_pdf(damaged, warnings.append)
    pages = {section.page: section.text.strip() for section in parsed.sections}
    assert (pages[1], pages[3]) == ("one", "three")
    assert bool(warnings) != (2 in pages)


@settings(max_examples=60)
@given(st.integers(0, 800), st.binary(min_size=1, max_size=12))
def test_any_damage_to_a_pdf_is_read_or_rejected(offset: int, patch: bytes) -> None:
    whole = pdf("Some text.", "More text.")
    damaged = whole[:offset] + patch + whole[offset + len(patch) :]
    warnings: list[str] = []
    try:
        parsed = read_pdf(damaged, warnings.append)
    except Rejected as rejected:
        assert rejected.kind in ("unreadable", "empty-text")
    else:
        assert any(section.text.strip() for section in parsed.sections)


@settings(max_examples=60)
@given(st.binary(max_size=60), st.integers(0, len(PAGE)))
def test_any_damage_to_a_page_is_read_or_rejected(patch: bytes, offset: int) -> None:
    whole = PAGE.encode()
    try:
        parsed = read_html(whole[:offset] + patch + whole[offset + len(patch) :], warn_not)
    except Rejected as rejected:
        assert rejected.kind == "unreadable"
    else:
        "".join(section.text for section in parsed.sections).encode()


def without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    monkeypatch.setitem(sys.modules, "trafilatura", None)


def mixed(folder: Path) -> Path:
    (folder / "a.pdf").write_bytes(pdf("text"))
    (folder / "b.html").write_text(PAGE)
    (folder / "c.txt").write_text("text")
    return folder


def test_without_the_extra_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_extras(monkeypatch)
    corpus: Corpus = read_corpus(mixed(tmp_path))
    assert [document.id for document in corpus.documents] == ["c.txt#0"]
    assert [(p.path.name, p.kind) for p in corpus.problems] == [
        ("a.pdf", "unsupported"),
        ("b.html", "unsupported"),
    ]
    assert all("leafward[docs]" in problem.message for problem in corpus.problems)


def test_without_the_extra_refusing_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_extras(monkeypatch)
    for path, policy in ((mixed(tmp_path), "refuse"), (tmp_path / "a.pdf", "skip")):
        with pytest.raises(CorpusError) as caught:
            read_corpus(path, on_problem=policy)  # type: ignore[arg-type]
        assert "leafward[docs]" in caught.value.hint


def test_importing_the_readers_imports_no_extra() -> None:
    code = "import sys, leafward.corpus; print({'pypdf', 'trafilatura', 'lxml'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
