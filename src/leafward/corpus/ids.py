"""Ids that are safe in terminals, run files and engines, equal wherever the same id is read."""

from __future__ import annotations

import hashlib
import re

MAX_ID = 512
"""Longest id in characters; search engines drop terms beyond some tens of kilobytes silently."""

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def safe_id(raw: str) -> str:
    """The id under which a document is kept: most often the id itself.

    Surrounding white space goes. Control characters, line separators and undecodable bytes (file
    names) become ``%0A``-style UTF-8 bytes. An id beyond ``MAX_ID`` keeps its beginning and ends in
    a hash of the whole. Corpus, queries, exclusions and judgements all pass through here, so they
    still agree; two ids that become one are reported as duplicates like any others.
    """
    stripped = raw.strip()
    if stripped.isascii() and stripped.isprintable() and len(stripped) <= MAX_ID:
        return stripped
    escaped = _UNSAFE.sub(_percent, stripped)
    if len(escaped) <= MAX_ID:
        return escaped
    digest = hashlib.sha256(escaped.encode()).hexdigest()[:24]
    return f"{escaped[: MAX_ID - 25]}~{digest}"


def _percent(match: re.Match[str]) -> str:
    character = match.group()
    # What the operating system could not decode (U+DC80..U+DCFF) goes back to its single byte.
    errors = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", errors))
