"""From a completion to a rewrite that names what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import BaseModel

from leafward.structured import parse
from leafward.types import Flaw, JsonValue, Rewrite
from leafward.writing.framing import (
    ANSWER,
    END_ANSWER,
    END_THINK,
    THINK,
    as_written,
    key_of,
)


def parse_completion(
    text: str, *, syntax: str, reasoning: bool = True, prefill: str = ""
) -> Rewrite:
    """Read a completion (query-writing §2); never raises on any text.

    Tags are told as they are written, and text around them is ignored, as is a thought that nobody
    asked for. Where the format is wrong, the expression is what can be read all the same.

    Args:
        text: what the model wrote after ``prefill``, which counts as written (see
            :func:`leafward.writing.framing.as_written`).
        syntax: the engine's; ``sql`` has a key of its own.
    """
    whole = as_written(text, prefill)
    thought = _between(whole, THINK, END_THINK)
    flaws = tuple(_tag_flaws(whole, (THINK, END_THINK) if reasoning else ()))
    if not flaws:
        answer = _between(whole, ANSWER, END_ANSWER)
        expression, flaw = _read_answer(answer, key_of(syntax))
        flaws = () if flaw is None else (flaw,)
    if flaws:
        expression = _salvaged(whole, key_of(syntax))
    return Rewrite(expression, thought, well_formed=not flaws, problems=flaws)


def _tag_flaws(whole: str, thinking: tuple[str, ...]) -> Iterator[Flaw]:
    """Tags that are missing, repeated, or not in order."""
    tags = (*thinking, ANSWER, END_ANSWER)
    counts = {tag: whole.count(tag) for tag in tags}
    for tag, count in counts.items():
        if count == 0:
            yield Flaw("missing-tag", f"{tag} is missing")
        elif count > 1:
            yield Flaw("repeated-tag", f"{tag} stands {count} times")
    places = [whole.find(tag) for tag in tags]
    if all(count == 1 for count in counts.values()) and places != sorted(places):
        yield Flaw("wrong-order", f"the tags are not in the order {' '.join(tags)}")


def _between(whole: str, start: str, end: str) -> str:
    """What stands between the first ``start`` and the ``end`` after it; empty without both."""
    _, found, rest = whole.partition(start)
    inner, closed, _ = rest.partition(end)
    return inner.strip() if found and closed else ""


def _read_answer(answer: str, key: str) -> tuple[str, Flaw | None]:
    """The expression of an answer, or what is wrong with it."""
    try:
        value: JsonValue = json.loads(answer, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        return "", Flaw("bad-json", f"the answer is no JSON: {error.msg}", error.pos + 1)
    except (ValueError, RecursionError) as error:  # a key twice, numbers or nesting beyond bounds
        return "", Flaw("bad-json", f"the answer is no usable JSON: {error}")
    if not isinstance(value, dict):
        return "", Flaw("bad-json", "the answer is no JSON object")
    expression = value.get(key)
    if not isinstance(expression, str):
        return "", Flaw("no-query", f'the answer has no string "{key}"')
    if not _encodable(expression):
        return "", Flaw("bad-json", "the expression holds half a character")
    if not expression.strip():
        return "", Flaw("empty-query", "the expression is empty")
    return expression.strip(), None


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """An object whose keys are all different: of two expressions neither is the answer."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return made


def _encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


class _Query(BaseModel):
    query: str


class _Sql(BaseModel):
    sql: str


def _salvaged(whole: str, key: str) -> str:
    """An expression out of a malformed completion, where there is one to be seen."""
    if key == "sql":
        sql, _ = parse(whole, _Sql)
        expression = "" if sql is None else sql.sql.strip()
    else:
        query, _ = parse(whole, _Query)
        expression = "" if query is None else query.query.strip()
    return expression if _encodable(expression) else ""
