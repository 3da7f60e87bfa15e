"""Descriptions of groups from the children shown, and queries from a passage."""

from __future__ import annotations

from leafward.testing.chat import ChatRequest, Reply
from leafward.testing.prompts import children, items, neighbours
from leafward.testing.words import leading_words, words

_NAME, _DESCRIPTION, _QUERY = 3, 15, 8  # words


def describe_group(request: ChatRequest) -> Reply | None:
    """Name and description made of the words that the group's children share.

    Words that stand in a neighbour's name are kept out of the name, where others are left.
    """
    if request.kind != "describe_group":
        return None
    leading = leading_words(children(request), _DESCRIPTION)
    taken = {word for name in neighbours(request) for word in words(name)}
    own = [word for word in leading if word not in taken] or leading
    name = " ".join(own[:_NAME]) or "other"
    return Reply.json({"name": name, "description": "About " + ", ".join(leading) + "."})


def query(request: ChatRequest) -> Reply | None:
    """A query for the passage shown: its leading words."""
    if request.kind != "query":
        return None
    shown = [item.text for item in items(request)][:1] or [request.user]
    return Reply.json({"query": " ".join(leading_words(shown, _QUERY)) or "anything"})
