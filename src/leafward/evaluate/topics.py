"""TREC's topics, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from leafward.corpus import safe_id
from leafward.corpus.lines import read_lines
from leafward.corpus.problems import ProblemLog
from leafward.evaluate.files import write_lines
from leafward.evaluate.trec import broken
from leafward.types import Query

Topic = tuple[int, str, str]
"""Line, id and text."""

_TOP = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"<(\w+)>([^<]*)")
_LABEL = re.compile(r"^\s*(?:Number|Topic|Description|Narrative)\s*:", re.IGNORECASE)


def read_topics(path: Path) -> tuple[Query, ...]:
    """Read topics: ``id<TAB>text`` lines, or TREC's ``<top>`` records with ``<num>``, ``<title>``.

    Raises:
        CorpusError: a topic without id or text, or an id twice.
    """
    lines = [line for _, line in read_lines(path, ProblemLog("refuse"))]
    text = "".join(lines)
    found = _tagged(text) if "<top>" in text.lower() else _tabbed(lines)
    queries: dict[str, Query] = {}
    for line, query_id, words in found:
        if not query_id or not words:
            raise broken("a topic without id or text", path, line)
        if query_id in queries:
            raise broken(f"topic {query_id!r} is there twice", path, line)
        queries[query_id] = Query(query_id, words)
    if not queries:
        raise broken("there are no topics", path, None)
    return tuple(queries.values())


def write_topics(path: Path, queries: Sequence[Query]) -> None:
    """Write ``id<TAB>text`` lines; line breaks and tabs in a text become spaces."""
    write_lines(path, (f"{safe_id(query.id)}\t{' '.join(query.text.split())}" for query in queries))


def _tabbed(lines: Sequence[str]) -> Iterator[Topic]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            query_id, _, text = line.partition("\t")
            yield number, safe_id(query_id), text.strip()


def _tagged(text: str) -> Iterator[Topic]:
    for record in _TOP.finditer(text):
        fields = {name.lower(): _words(body) for name, body in _FIELD.findall(record[1])}
        words = fields.get("title") or fields.get("desc", "")
        yield text.count("\n", 0, record.start()) + 1, safe_id(fields.get("num", "")), words


def _words(body: str) -> str:
    return " ".join(_LABEL.sub("", body).split())
