"""Lines of plain or gzipped text, one at a time, whatever bytes are in them."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from leafward.corpus.problems import ProblemLog, Rejected
from leafward.types import JsonValue

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_UTF8_BOM = b"\xef\xbb\xbf"


def read_lines(path: Path, log: ProblemLog) -> Iterator[tuple[int, str]]:
    """Yield line numbers from 1 and lines with their ends; ``.gz`` is unpacked on the way.

    Bytes that are not UTF-8 come as lone surrogates (see :func:`check_decodable`), so that the
    reader decides what is lost with them. A file that breaks off is a problem where it does.
    """
    number = 0
    try:
        with _open(path) as stream:
            for raw in stream:
                number += 1
                if number == 1 and raw.startswith(_UTF16):
                    log.report(path, 1, "undecodable", "the file is UTF-16, not UTF-8")
                    return
                yield number, _decode(raw.removeprefix(_UTF8_BOM) if number == 1 else raw)
    except (OSError, EOFError, zlib.error) as error:
        log.report(path, number + 1, "unreadable", f"reading stops here: {_reason(error)}")


def read_objects(path: Path, log: ProblemLog) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield line numbers and the JSON objects on them; blank lines are passed over."""
    for number, line in read_lines(path, log):
        if not line.strip():
            continue
        try:
            row = parse_object(line)
        except Rejected as rejected:
            log.reject(path, number, rejected)
        else:
            yield number, row


def parse_object(line: str) -> dict[str, JsonValue]:
    """One line as a JSON object; NaN and infinities, which are not JSON, become null.

    Raises:
        Rejected: not JSON, not an object, or text that has no UTF-8 form.
    """
    check_decodable(line)
    try:
        row = json.loads(line, parse_constant=lambda _: None)
        if "\\ud" in line or "\\uD" in line:  # an escape may spell half a character
            check_decodable(json.dumps(row, ensure_ascii=False))
    except json.JSONDecodeError as error:
        raise Rejected("broken-line", f"not JSON: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:  # a number or a nesting beyond all bounds
        raise Rejected("broken-line", f"not usable JSON: {error}") from error
    if not isinstance(row, dict):
        raise Rejected("broken-line", "not a JSON object")
    return row


def check_decodable(text: str) -> None:
    """Raise Rejected where a text holds bytes or escapes that are no characters."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        message = f"not UTF-8 (character {error.start + 1} of the line)"
        raise Rejected("undecodable", message) from error


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return gzip.open(path)  # type: ignore[return-value]  # a GzipFile reads as one
    return path.open("rb")


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
