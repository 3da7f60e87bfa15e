"""A chat request as rules see it, and the reply that they give."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from leafward.testing.kinds import kind_of

Finish = Literal["stop", "length", "content_filter"]


@dataclass(frozen=True)
class ChatRequest:
    """One call of ``/v1/chat/completions``.

    ``kind`` is the task ("summaries", "clusters", "describe_group", "slate_scores", "query",
    "letters", or "other"); ``schema`` the JSON schema that the answer must have, where one was
    sent; ``attempt`` counts how often this prompt was asked before, from 0.
    """

    model: str
    messages: tuple[tuple[str, str], ...]
    body: Mapping[str, Any] = field(repr=False)
    attempt: int = 0

    @cached_property
    def response_format(self) -> Mapping[str, Any]:
        value = self.body.get("response_format")
        return value if isinstance(value, Mapping) else {}

    @cached_property
    def schema_name(self) -> str:
        wrapper = self.response_format.get("json_schema")
        return str(wrapper.get("name", "")) if isinstance(wrapper, Mapping) else ""

    @cached_property
    def schema(self) -> Mapping[str, Any] | None:
        wrapper = self.response_format.get("json_schema")
        value = wrapper.get("schema") if isinstance(wrapper, Mapping) else None
        return value if isinstance(value, Mapping) else None

    @cached_property
    def kind(self) -> str:
        return kind_of(self.schema_name, self.schema, self.prompt, self.top_logprobs)

    @cached_property
    def prompt(self) -> str:
        """All messages as one text, instructions first."""
        return "\n\n".join(content for _, content in self.messages)

    @cached_property
    def user(self) -> str:
        """What the user's turns say, without the system's instructions."""
        return "\n\n".join(content for role, content in self.messages if role == "user")

    @cached_property
    def key(self) -> str:
        """Hash of model and messages: two requests with one key ask the same thing."""
        text = json.dumps([self.model, self.messages])
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

    def asked(self, attempt: int) -> ChatRequest:
        """The same request with its attempt; what has been worked out about it is kept."""
        twin = copy(self)
        object.__setattr__(twin, "attempt", attempt)
        return twin

    @property
    def max_tokens(self) -> int | None:
        value = self.body.get("max_completion_tokens", self.body.get("max_tokens"))
        return value if isinstance(value, int) else None

    @property
    def top_logprobs(self) -> int:
        value = self.body.get("top_logprobs", 0)
        return value if self.body.get("logprobs") and isinstance(value, int) else 0


@dataclass(frozen=True)
class Reply:
    """What the model says.

    ``distributions`` gives, per token of the text, the natural-log probabilities of the likeliest
    tokens (for letter questions). ``completion_tokens`` overrides the count made from the text.
    """

    text: str = ""
    finish: Finish = "stop"
    refusal: str | None = None
    distributions: tuple[Mapping[str, float], ...] = ()
    completion_tokens: int | None = None

    @classmethod
    def json(cls, value: object) -> Reply:
        """A reply that is this value as JSON."""
        return cls(json.dumps(value, ensure_ascii=False))


Rule = Callable[[ChatRequest], Reply | None]
"""Answers a request, or passes it on with None; the first rule that answers wins."""
