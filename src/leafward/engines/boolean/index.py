"""Writing and opening the tantivy index of a Boolean engine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.engines.analysis import valid
from leafward.engines.boolean.analysis import NAME, analyzer
from leafward.engines.boolean.records import (
    exact_keys,
    listed,
    other_texts,
    published,
    subject_texts,
)
from leafward.errors import StoreError
from leafward.types import Document

if TYPE_CHECKING:
    import tantivy

DOCUMENTS = "documents.json"
"""The ids by position, and the analysis that the index was made with."""

ORDER = "order"
"""Date and position in one number: sorting by it is a total order, newest first."""

POSITION_BITS = 32
POSITION_MASK = (1 << POSITION_BITS) - 1

TEXT_FIELDS = ("ti", "ab", "subjects", "ot", "all")
EXACT_FIELDS = ("mh", "majr", "au", "ta", "pt", "la", "pmid")
DATE = "date"

_HEAP = 250_000_000


def write_index(folder: Path, documents: Iterable[Document]) -> None:
    """Index documents into an empty or new folder, reading them once.

    Raises:
        StoreError: the folder holds something already, or cannot be written.
    """
    import tantivy

    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise StoreError(f"{folder} is not empty", hint="build into a new folder")
    index = tantivy.Index(_schema(), str(folder))
    index.register_tokenizer(NAME, analyzer())
    writer = index.writer(_HEAP, 1)  # one thread: the same documents make the same index
    doc_ids = []
    for position, document in enumerate(documents):
        writer.add_document(_entry(document, position))
        doc_ids.append(document.id)
    writer.commit()
    writer.wait_merging_threads()
    content = {"analysis": NAME, "documents": doc_ids}
    (folder / DOCUMENTS).write_text(json.dumps(content), encoding="utf-8")


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    for name in TEXT_FIELDS:
        builder.add_text_field(name, tokenizer_name=NAME)
    for name in EXACT_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(DATE, indexed=True, fast=True)
    builder.add_unsigned_field(ORDER, fast=True)
    return builder.build()


def _entry(document: Document, position: int) -> tantivy.Document:
    import tantivy

    entry = tantivy.Document()
    subjects = subject_texts(document)
    texts = {
        "ti": [document.title],
        "ab": [document.text],
        "subjects": subjects,
        "ot": listed(document, "keywords"),
        "all": [document.title, document.text, *subjects, *other_texts(document)],
    }
    for name, parts in texts.items():
        for part in parts:
            entry.add_text(name, part if part.isascii() else valid(part))
    for name, keys in exact_keys(document).items():
        for key in keys:
            entry.add_text(name, key)
    date = published(document)
    entry.add_unsigned(DATE, date)
    entry.add_unsigned(ORDER, (date << POSITION_BITS) | (POSITION_MASK - position))
    return entry
