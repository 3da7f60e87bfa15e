"""What goes to a language model, what comes back, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

JsonValue = str | int | float | bool | None | list["JsonValue"] | dict[str, "JsonValue"]
JsonSchema = Mapping[str, JsonValue]
"""A JSON schema as plain data."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn; part of a call's identity in the cache.

    ``max_tokens`` bounds the completion and is what the budget reserves. ``top_logprobs`` > 0 asks
    for the distribution of each generated token. ``attempt`` tells repeated asks of one prompt
    apart, so that a re-ask is not answered from the cache by the answer that it rejects.
    """

    temperature: float = 0.0
    max_tokens: int = 2048
    seed: int | None = 0
    stop: tuple[str, ...] = ()
    top_logprobs: int = 0
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A generated token with its natural-log probability and its most likely alternatives."""

    token: str
    logprob: float
    top: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls cost: counts of calls and tokens, and US dollars (None = price unknown).

    ``cached_tokens`` is the part of ``prompt_tokens`` that the provider read from its own prefix
    cache; ``cache_hits`` counts answers that came from our store and cost nothing.
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    money: float | None = 0.0
    cache_hits: int = 0

    def __add__(self, other: Usage) -> Usage:
        known = self.money is not None and other.money is not None
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            (self.money or 0.0) + (other.money or 0.0) if known else None,
            self.cache_hits + other.cache_hits,
        )

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer.

    ``finish_reason`` is "stop", "length" (cut off at ``max_tokens``) or "refusal".
    """

    text: str
    usage: Usage = NO_USAGE
    finish_reason: Literal["stop", "length", "refusal"] = "stop"
    logprobs: tuple[TokenLogprob, ...] = ()
