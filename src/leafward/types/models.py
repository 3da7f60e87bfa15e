"""What goes to a language model, what comes back, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    cache; ``cache_hits`` counts answers that came from our store and cost nothing. What those
    answers cost when they were paid is ``saved_tokens`` and ``saved_money``: they tell the price
    of a method whose calls another has paid, and do not tell two usages apart.
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    money: float | None = 0.0
    cache_hits: int = 0
    saved_tokens: int = field(default=0, compare=False)
    saved_money: float | None = field(default=0.0, compare=False)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            _sum(self.money, other.money),
            self.cache_hits + other.cache_hits,
            self.saved_tokens + other.saved_tokens,
            _sum(self.saved_money, other.saved_money),
        )

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


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
