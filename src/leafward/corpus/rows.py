"""One row of JSONL, CSV or BEIR as a Document or a Query."""

from __future__ import annotations

import ast
import json
import math
import warnings
from collections.abc import Iterable, Mapping

from leafward.corpus.ids import safe_id
from leafward.corpus.problems import Rejected, quoted
from leafward.types import Document, JsonValue, MetaValue, Query

ID_FIELDS = ("_id", "id", "doc_id")
TEXT_FIELDS = ("text", "contents", "body")
QUERY_ID_FIELDS = ("_id", "id", "query_id", "qid")
QUERY_TEXT_FIELDS = ("text", "query", "contents", "body")


def document_of(row: Mapping[str, JsonValue]) -> Document:
    """Make a document of a row; every field that is not id, title or text becomes metadata.

    A row with a title but no text is a document (bibliographies are full of them); one with
    neither is rejected. An object named ``metadata`` gives its entries, other nested values are
    kept as JSON text, a list of strings as a tuple, and numbers that JSON cannot hold as None.

    Raises:
        Rejected: no id, a field of the wrong type, or nothing to retrieve.
    """
    id_field, text_field = _first(row, ID_FIELDS), _first(row, TEXT_FIELDS)
    doc_id = _id(row, id_field, ID_FIELDS)
    text, title = _string(row, text_field), _string(row, "title")
    if not text.strip() and not title.strip():
        raise Rejected("empty-text", f"document {quoted(doc_id)} has neither text nor title")
    rest = {key: row[key] for key in row if key not in (id_field, text_field, "title")}
    return Document(doc_id, text, title, _metadata(rest))


def query_of(row: Mapping[str, JsonValue]) -> Query:
    """Make a query of a row; ``excluded_ids`` may be a list or a list written as text.

    Raises:
        Rejected: no id, a field of the wrong type, or an empty text.
    """
    query_id = _id(row, _first(row, QUERY_ID_FIELDS), QUERY_ID_FIELDS)
    text = _string(row, _first(row, QUERY_TEXT_FIELDS))
    if not text.strip():
        raise Rejected("empty-text", f"query {quoted(query_id)} has no text")
    excluded = frozenset(safe_id(item) for item in id_list(row.get("excluded_ids")))
    return Query(query_id, text, _string(row, "relevance"), excluded)


def _first(row: Mapping[str, JsonValue], names: Iterable[str]) -> str | None:
    return next((name for name in names if row.get(name) is not None), None)


def _id(row: Mapping[str, JsonValue], field: str | None, names: Iterable[str]) -> str:
    if field is None:
        raise Rejected("broken-line", f"no id (looked for {', '.join(names)})")
    value = row[field]
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Rejected("broken-line", f"{field} is {_type(value)}, not a string or whole number")
    if not (doc_id := safe_id(str(value))):
        raise Rejected("broken-line", f"{field} is empty")
    return doc_id


def _string(row: Mapping[str, JsonValue], field: str | None) -> str:
    value = None if field is None else row.get(field)
    if value is None:
        return ""
    if field == "title" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise Rejected("broken-line", f"{field} is {_type(value)}, not a string")
    return value


def _metadata(fields: Mapping[str, JsonValue]) -> dict[str, MetaValue]:
    nested = fields.get("metadata")
    if isinstance(nested, dict):
        outer = {key: fields[key] for key in fields if key != "metadata"}
        fields = {**nested, **outer}
    return {key: _meta_value(value) for key, value in fields.items()}


def _meta_value(value: JsonValue) -> MetaValue:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(str(item) for item in value)
    if isinstance(value, list | dict):
        return _json(value)
    return value


def _json(value: JsonValue) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError as error:  # reading may go a little deeper than writing
        raise Rejected("broken-line", "a field is nested beyond all bounds") from error


def id_list(value: JsonValue, field: str = "excluded_ids") -> list[str]:
    """The ids of a list, or of a list written as text (a Python literal); none where there is none.

    Raises:
        Rejected: anything else; ``field`` says where it stands.
    """
    listed = _literal(value, field) if isinstance(value, str) else value
    if listed is None:
        return []
    if not isinstance(listed, list | tuple | set | frozenset):
        raise Rejected("broken-line", f"{field} is {_type(listed)}, not a list of ids")
    for item in listed:
        if isinstance(item, bool) or not isinstance(item, str | int):
            raise Rejected("broken-line", f"{field} holds {_type(item)}, not only ids")
    return [str(item) for item in listed]


def _literal(text: str, field: str) -> object:
    if not text.strip():
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an id may hold a backslash that is no escape
            return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise Rejected("broken-line", f"{field} is no list: {quoted(text)}") from error


def _type(value: object) -> str:
    names = {
        bool: "a truth value",
        float: "a fraction",
        int: "a number",
        str: "a string",
        list: "a list",
        dict: "an object",
        type(None): "null",
    }
    return names.get(type(value), type(value).__name__)
