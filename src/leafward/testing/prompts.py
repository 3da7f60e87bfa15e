"""Reads what a prompt shows, liberally: it follows the shape of lists, not one wording."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import takewhile

from leafward.testing.chat import ChatRequest
from leafward.testing.kinds import json_objects

_STYLES = (
    re.compile(r"^[ \t]*[-*]?[ \t]*\[(\d+)\][ \t:]*", re.MULTILINE),
    re.compile(r"^[ \t]*<\w+ (?:id|number|index)=[\"']?(\d+)[\"']?[^>\n]*>", re.MULTILINE),
    re.compile(
        r"^[ \t#*]*(?:passage|document|doc|candidate|item|text|id)[ \t:#]*(\d+)\b[ \t]*[.:)\]*-]*",
        re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(r"^[ \t]*(\d+)[.):][ \t]+", re.MULTILINE),
)
_LETTER = re.compile(r"^[ \t]*[(\[]?([A-Z])[.):\]][ \t]+(.*)$", re.MULTILINE)
_COUNTED = re.compile(r"^[ \t]*(?:[-*•][ \t]+|\[\d+\][ \t]*)?(\S.*?)[ \t]*\((\d+)\)[ \t,]*$", re.M)
_BULLET = re.compile(r"^[ \t]*[-*•][ \t]+(\S.*)$", re.MULTILINE)
_QUERY = re.compile(
    r"^[ \t#*]*(?:the )?(?:search )?(?:query|question|information need|problem)\b[^\n:]*:[ \t]*\n?"
    r"[ \t]*(\S.*)",
    re.MULTILINE | re.IGNORECASE | re.DOTALL,
)
_RANGES = (
    r"(\d+)\s*(?:-|–|to|and|or)\s*(\d+)\s+(?:clusters|groups|parts|topics|categories)",
    r"(?:between|from)\D{0,20}(\d+)\D{1,10}(\d+)",
    r"at least\D{0,10}(\d+)\D{1,40}at most\D{0,10}(\d+)",
    r"min\w*\D{0,30}(\d+)\D{1,60}max\w*\D{0,30}(\d+)",
)
_NAMED = re.compile(r'^[ \t]*[-*•][ \t]+("(?:[^"\\]|\\.)*")[ \t]*:[ \t]*(.*)$', re.MULTILINE)
_NEIGHBOURS = re.compile(
    r"^[^\n\[]*(?:neighbour|neighbor|sibling)[^\n\[]*(\[.*\])[ \t]*$", re.M | re.I
)


@dataclass(frozen=True)
class Item:
    """An entry of a list in a prompt."""

    id: int
    text: str


def unquoted(text: str) -> str:
    """The text itself, where it is written as a JSON string; trailing matter is dropped."""
    text = text.strip()
    if text.startswith('"'):
        try:
            value, _ = json.JSONDecoder().raw_decode(text)
        except json.JSONDecodeError:
            return text
        return str(value)
    return text


def items(request: ChatRequest) -> list[Item]:
    """The entries with ids that a prompt lists, in order: ``[3] …``, ``<doc id=3>``, JSON, ``3.``

    The user's turns count first, for instructions may have numbered lines of their own.
    """
    for text in (request.user, request.prompt):
        for style in _STYLES[:3]:
            if found := _split(text, style):
                return found
        if found := _json_items(text):
            return found
        if found := _split(text, _STYLES[3]):
            return found
    return []


def _split(text: str, style: re.Pattern[str]) -> list[Item]:
    marks = list(style.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    found: dict[int, Item] = {}
    for mark, end in zip(marks, ends, strict=False):  # without a mark there is still one end
        body = text[mark.end() : end]
        if end == len(text):  # the last entry ends where a paragraph does
            body = body.strip().partition("\n\n")[0]
        body = re.sub(r"</\w+>\s*$", "", body.strip())
        number = int(mark.group(1))
        found.setdefault(number, Item(number, unquoted(body)))
    return list(found.values())


def _json_items(text: str) -> list[Item]:
    found = []
    for value in json_objects(text):
        entries = next((v for v in value.values() if isinstance(v, list)), [value])
        for entry in entries:
            if isinstance(entry, dict) and isinstance(entry.get("id"), int):
                rest = [str(v) for k, v in entry.items() if k != "id" and isinstance(v, str)]
                found.append(Item(entry["id"], "\n".join(rest)))
    return found


def lettered(request: ChatRequest) -> list[tuple[str, str]]:
    """The options ``A. …``, ``B) …`` of a letter question."""
    text = request.user or request.prompt
    return [(letter, unquoted(option)) for letter, option in _LETTER.findall(text)]


def counted(request: ChatRequest) -> list[tuple[str, int]]:
    """The lines ``summary (count)`` of a clustering prompt."""
    for text in (request.user, request.prompt):
        if found := [(unquoted(line), int(count)) for line, count in _COUNTED.findall(text)]:
            return found
    return []


def children(request: ChatRequest) -> list[str]:
    """The members of a group to describe: entries with ids, counted lines, or bullets."""
    if found := [item.text for item in items(request)]:
        return found
    if lines := counted(request):
        return [line for line, _ in lines]
    text = request.user or request.prompt
    return [unquoted(line) for line in _BULLET.findall(text)] or [text]


def query_text(request: ChatRequest) -> str:
    """The query that a judge is asked about; the whole user turn where none is marked."""
    for text in (request.user, request.prompt):
        if match := _QUERY.search(text):
            return _query(match.group(1))
    return request.user or request.prompt


def _query(found: str) -> str:
    """A query up to where its paragraph ends or a list begins."""
    paragraph = found.partition("\n\n")[0]
    if paragraph.startswith('"'):
        return unquoted(found)
    first, *lines = paragraph.splitlines()
    marks = (*_STYLES, _LETTER)
    rest = takewhile(lambda line: not any(mark.match(line) for mark in marks), lines)
    return "\n".join([first, *rest]).strip()


def bounds(request: ChatRequest) -> tuple[int, int]:
    """Fewest and most clusters asked for; 2 and 16 where the prompt names none."""
    for text in (request.user, request.prompt):
        instruction = _COUNTED.sub("", text)  # keywords may speak of ranges, too
        for pattern in _RANGES:
            for match in re.finditer(pattern, instruction, re.IGNORECASE):
                low, high = int(match.group(1)), int(match.group(2))
                if 1 <= low <= high <= 64:
                    return low, high
    return 2, 16


def existing_clusters(request: ChatRequest) -> list[tuple[str, str]]:
    """Name and description of clusters that the prompt says exist already."""
    pairs = _NAMED.findall(request.user)
    return [(unquoted(name), unquoted(text)) for name, text in pairs]


def neighbours(request: ChatRequest) -> list[str]:
    """Names of the groups beside the one to describe."""
    for found in _NEIGHBOURS.findall(request.user):
        try:
            names = json.loads(found)
        except json.JSONDecodeError:
            continue
        return [str(name) for name in names]
    return []
