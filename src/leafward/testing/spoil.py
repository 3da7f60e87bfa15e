"""What a fault makes of a good answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from leafward.testing.chat import ChatRequest, Reply
from leafward.testing.faults import Fault
from leafward.testing.words import count_tokens, seeded, tokens

_UNKNOWN = 987_654_321
_ITEMS = {"summaries": "passages", "slate_scores": "scores"}
_WHITESPACE_TOKENS = 4096


def spoil(reply: Reply, fault: Fault, request: ChatRequest) -> Reply:
    """Apply a fault of the content; others leave the reply as it is."""
    change = _CHANGES.get(fault)
    if change is not None:
        return change(reply, request)
    edit = _EDITS.get(fault)
    return reply if edit is None else _edited(reply, request, edit)


def _empty(reply: Reply, request: ChatRequest) -> Reply:
    return Reply("")


def _refusal(reply: Reply, request: ChatRequest) -> Reply:
    return Reply("", refusal="I'm sorry, but I can't help with that request.")


def _length(reply: Reply, request: ChatRequest) -> Reply:
    pieces = tokens(reply.text)
    share = seeded("length", request.key, request.attempt).uniform(0.3, 0.9)
    keep = max(1, min(len(pieces) - 1, int(len(pieces) * share)))
    return Reply("".join(pieces[:keep]), finish="length", distributions=reply.distributions[:keep])


def _whitespace(reply: Reply, request: ChatRequest) -> Reply:
    count = request.max_tokens or _WHITESPACE_TOKENS
    return Reply("{" + "\n" * (count - 1), finish="length", completion_tokens=count)


def _prose(reply: Reply, request: ChatRequest) -> Reply:
    text = f"Sure! Here is what you asked for:\n\n{reply.text}\n\nLet me know if {{more}} helps."
    return replace(reply, text=text, distributions=())


def _fence(reply: Reply, request: ChatRequest) -> Reply:
    return replace(reply, text=f"```json\n{reply.text}\n```", distributions=())


def _schema_ignored(reply: Reply, request: ChatRequest) -> Reply:
    return Reply(
        "There is a lot to say about this. On the whole the passages speak for themselves."
    )


_CHANGES: dict[Fault, Callable[[Reply, ChatRequest], Reply]] = {
    Fault.EMPTY: _empty,
    Fault.REFUSAL: _refusal,
    Fault.LENGTH: _length,
    Fault.WHITESPACE: _whitespace,
    Fault.PROSE: _prose,
    Fault.FENCE: _fence,
    Fault.SCHEMA_IGNORED: _schema_ignored,
}

Items = list[Any]


def _edited(reply: Reply, request: ChatRequest, edit: Callable[[Items], Items]) -> Reply:
    """Apply an edit to the list of items of a JSON answer, or to each cluster's keywords."""
    try:
        answer = json.loads(reply.text)
    except json.JSONDecodeError:  # a canned answer that is no JSON has no ids to spoil
        return reply
    if not isinstance(answer, dict):
        return reply
    if request.kind == "clusters":
        holders = [(cluster, "keywords") for cluster in answer.get("clusters", [])[:1]]
    else:
        holders = [(answer, _ITEMS[request.kind])]
    for holder, name in holders:
        holder[name] = edit(list(holder.get(name, [])))
    return replace(Reply.json(answer), finish=reply.finish)


def _missing(items: Items) -> Items:
    return items[1::2]


def _repeated(items: Items) -> Items:
    """Says every second item twice, the second time with another score where it has one."""
    again = [
        item | {"score": 100 - item["score"]} if _scored(item) else item for item in items[::2]
    ]
    return items + again


def _scored(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("score"), int | float)


def _unknown(items: Items) -> Items:
    if not items:
        return items
    first = items[0]
    return [first | {"id": _UNKNOWN} if isinstance(first, dict) else "never shown to me", *items]


def _score(value: object) -> Callable[[Items], Items]:
    def edit(items: Items) -> Items:
        return [
            item | {"score": value} if n % 2 == 0 and isinstance(item, dict) else item
            for n, item in enumerate(items)
        ]

    return edit


_EDITS: dict[Fault, Callable[[Items], Items]] = {
    Fault.MISSING_IDS: _missing,
    Fault.REPEATED_IDS: _repeated,
    Fault.UNKNOWN_IDS: _unknown,
    Fault.SCORE_101: _score(101),
    Fault.SCORE_NEGATIVE: _score(-1),
    Fault.SCORE_WORD: _score("high"),
}


def cut(reply: Reply, limit: int | None) -> Reply:
    """End a reply at the request's own ``max_tokens``, as a model would."""
    if limit is None or (reply.completion_tokens or count_tokens(reply.text)) <= limit:
        return reply
    text = "".join(tokens(reply.text)[:limit])
    return replace(
        reply,
        text=text,
        finish="length",
        distributions=reply.distributions[:limit],
        completion_tokens=None,
    )
