"""Reading a chat completion leniently: compatible endpoints leave out or bend many fields."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ValidationError

from leafward.models.worst import upper_tokens
from leafward.types import Completion, TokenLogprob, Usage

_LENGTH = {"length", "max_tokens", "max_output_tokens", "model_length"}
_REFUSAL = {"content_filter", "refusal", "safety", "recitation", "prohibited_content"}
_LEAST_LOGPROB = -9999.0  # what OpenAI sends for an impossible token


def _count(value: Any) -> Any:
    """None for what is not a plain count, so that one bad field does not spoil an answer."""
    return value if isinstance(value, int) and value >= 0 else None


Count = Annotated[int | None, BeforeValidator(_count)]


class _PromptDetails(BaseModel):
    cached_tokens: Count = None


class _Usage(BaseModel):
    prompt_tokens: Count = None
    completion_tokens: Count = None
    total_tokens: Count = None
    prompt_tokens_details: _PromptDetails | None = None


class _Top(BaseModel):
    token: str
    logprob: float | None = None


class _Token(_Top):
    top_logprobs: list[_Top] | None = None


class _Logprobs(BaseModel):
    content: list[_Token] | None = None


class _Message(BaseModel):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class Reply(BaseModel):
    """A chat completion, with what we read of it."""

    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: Any = None


def read_reply(text: str) -> Reply | None:
    """Parse a response body; None where it is not a chat completion."""
    try:
        return Reply.model_validate_json(text)
    except ValidationError:
        return None


def to_completion(reply: Reply, worst: Usage) -> Completion:
    """What a reply with at least one choice says, money not yet counted.

    Token counts that the provider does not send are bounded from above, so that a budget holds:
    the prompt by the ``worst`` case of the call, the completion by its text and the worst case.
    """
    choice = reply.choices[0]
    text = _text(choice.message)
    refusal = choice.message.refusal
    return Completion(
        text=text or refusal or "",
        usage=_usage(reply.usage, text, worst),
        finish_reason=_finish(choice, refusal),
        logprobs=_logprobs(choice.logprobs),
    )


def _text(message: _Message) -> str:
    if isinstance(message.content, list):
        return "".join(str(part.get("text", "")) for part in message.content)
    return message.content or ""


def _finish(choice: _Choice, refusal: str | None) -> Literal["stop", "length", "refusal"]:
    reason = (choice.finish_reason or "").lower()
    if refusal or reason in _REFUSAL:
        return "refusal"
    return "length" if reason in _LENGTH else "stop"


def _usage(sent: _Usage | None, text: str, worst: Usage) -> Usage:
    usage = sent or _Usage()
    prompt = usage.prompt_tokens
    if prompt is None:
        prompt = worst.prompt_tokens
    completion = usage.completion_tokens
    if completion is None:
        completion = min(upper_tokens(text), worst.completion_tokens)
    if usage.total_tokens is not None and usage.prompt_tokens is not None:
        # Some leave tokens of reasoning out of the completion, but bill them.
        completion = max(completion, usage.total_tokens - prompt)
    details = usage.prompt_tokens_details
    cached = (details.cached_tokens if details else None) or 0
    return Usage(1, prompt, min(cached, prompt), completion)


def _logprobs(sent: _Logprobs | None) -> tuple[TokenLogprob, ...]:
    tokens = (sent.content if sent else None) or []
    return tuple(
        TokenLogprob(
            token.token,
            _finite(token.logprob),
            {top.token: _finite(top.logprob) for top in token.top_logprobs or []},
        )
        for token in tokens
    )


def _finite(logprob: float | None) -> float:
    if logprob is None or not math.isfinite(logprob):
        return _LEAST_LOGPROB
    return max(logprob, _LEAST_LOGPROB)
