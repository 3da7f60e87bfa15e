"""How documents and trees become rows, and the checksums that tie them together."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from leafward.errors import CorpusError
from leafward.types import Document, MetaValue

_SURROGATES = re.compile("[\ud800-\udfff]")


def now() -> str:
    """The time in UTC, in the one format of all ``created`` columns, so that it sorts as text."""
    return timestamp(datetime.now(UTC))


def timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def clean(text: str) -> str:
    """Replace halves of surrogate pairs, which a model's JSON may hold and no UTF-8 file can."""
    return text.encode("utf-8", "replace").decode()


def clean_json(text: str) -> str:
    """Write halves of surrogate pairs in a JSON text as the escapes that mean the same."""
    return _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def dump_metadata(document: Document) -> str:
    """A document's metadata as canonical JSON.

    Raises:
        CorpusError: a value is none that JSON holds (see :data:`leafward.types.MetaValue`).
    """
    try:
        return _canonical(dict(document.metadata))
    except (TypeError, ValueError) as error:
        raise CorpusError(
            f"metadata of document {document.id!r} cannot be stored: {error}",
            hint="use strings, finite numbers, true, false, null and lists of strings",
        ) from error


def load_metadata(text: str) -> dict[str, MetaValue]:
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in json.loads(text).items()
    }


def document_checksum(doc_id: str, title: str, text: str, metadata: str) -> str:
    """SHA-256 of everything that a document says; ``metadata`` is its canonical JSON.

    Raises:
        CorpusError: the document holds half of a surrogate pair, which is no text.
    """
    try:
        return _digest([_canonical([doc_id, title, text, metadata])])
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"document {doc_id!r} is not valid Unicode: {error.reason}",
            hint="repair the document's encoding in the corpus",
        ) from error


def tree_checksum(nodes: Iterable[tuple[Any, ...]], leaves: Iterable[tuple[Any, ...]]) -> str:
    """SHA-256 over the rows of a tree.

    Args:
        nodes: ``(node, parent, lo, hi, depth, name, description)`` in order of ids.
        leaves: ``(position, doc_id, document checksum, parent)`` in order of positions.
    """
    return rows_checksum([*([list(row) for row in nodes]), [], *([list(row) for row in leaves])])


def rows_checksum(rows: Iterable[Iterable[Any]]) -> str:
    return _digest(_canonical(list(row)) for row in rows)


def dump(value: Mapping[str, Any]) -> str:
    return _canonical(dict(value))


def _canonical(value: object) -> str:
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def _digest(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode())
        digest.update(b"\n")
    return digest.hexdigest()
