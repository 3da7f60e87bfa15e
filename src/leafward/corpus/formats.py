"""One function a file format: bytes in, sections out; what reads PDF and HTML is an extra."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from leafward.corpus.markdown import parse_markdown
from leafward.corpus.problems import Rejected
from leafward.corpus.sections import Parsed, Section, one_line
from leafward.errors import MissingExtra

if TYPE_CHECKING:
    from pypdf import PdfReader

Warn = Callable[[str], None]
"""Told of a part of a file that could not be read while the rest could."""


class UndecodableAt(Rejected):
    """Bytes that are not text, with the line on which the first of them stands."""

    def __init__(self, line: int) -> None:
        super().__init__("undecodable", "not UTF-8")
        self.line = line


def read_text(data: bytes, warn: Warn) -> Parsed:
    """Plain text: one section, no title."""
    return Parsed((Section(decode(data)),))


def read_markdown(data: bytes, warn: Warn) -> Parsed:
    """Markdown, parted at its headings."""
    return parse_markdown(decode(data))


def read_html(data: bytes, warn: Warn) -> Parsed:
    """The main text of a web page, without navigation, parted at its headings.

    Raises:
        MissingExtra: trafilatura is not installed.
        Rejected: the page cannot be parsed.
    """
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtra("trafilatura", "docs") from error
    _quiet("trafilatura")
    try:
        markdown = trafilatura.extract(
            data, output_format="markdown", favor_recall=True, include_comments=False
        )
        # Extraction gives up on pages of a few words, of which all text is the main text.
        text = markdown or trafilatura.html2txt(data)
        metadata = trafilatura.extract_metadata(data)
    except Exception as error:
        raise Rejected("unreadable", f"not readable as HTML: {_brief(error)}") from error
    parsed = parse_markdown(_sound(text or ""))
    name = one_line(_sound(str(metadata.title or ""))) if metadata else ""
    return Parsed(parsed.sections, parsed.title or name)


def read_pdf(data: bytes, warn: Warn) -> Parsed:
    """The text of a PDF file, one section a page; pages that break are warned of.

    Raises:
        MissingExtra: pypdf is not installed.
        Rejected: damaged, encrypted, or without any text (scanned).
    """
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise MissingExtra("pypdf", "docs") from error
    _quiet("pypdf")
    try:
        reader = PdfReader(io.BytesIO(data))
        pages = len(reader.pages)  # opens with the empty password where there is one
    except Exception as error:
        raise Rejected("unreadable", f"not readable as PDF: {_brief(error)}") from error
    sections = tuple(_pages(reader, pages, warn))
    if not any(section.text.strip() for section in sections):
        raise Rejected("empty-text", f"no text on its {pages} pages; scans need OCR first")
    return Parsed(sections)


def _pages(reader: PdfReader, pages: int, warn: Warn) -> Iterator[Section]:
    for index in range(pages):
        try:
            text = reader.pages[index].extract_text()
        except Exception as error:  # noqa: BLE001 - one damaged page costs that page only
            warn(f"page {index + 1} is not readable: {_brief(error)}")
            continue
        yield Section(_sound(text), page=index + 1)


def decode(data: bytes) -> str:
    """UTF-8 with or without a byte-order mark, or UTF-16 with one; line ends become ``\\n``.

    Raises:
        UndecodableAt: neither.
    """
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UndecodableAt(data.count(b"\n", 0, error.start) + 1) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _sound(text: str) -> str:
    """Join halves of characters where extraction left them apart, and replace what is alone."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {one_line(str(error))[:120]}"


def _quiet(name: str) -> None:
    """Keep a library's log off the terminal unless the user has set up logging."""
    logger = logging.getLogger(name)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


READERS: dict[str, Callable[[bytes, Warn], Parsed]] = {
    ".txt": read_text,
    ".text": read_text,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".pdf": read_pdf,
}
"""By lower-case suffix."""
