"""Bodies of OpenAI-compatible answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from leafward.testing.chat import ChatRequest, Reply
from leafward.testing.stats import Bill
from leafward.testing.words import tokens

CREATED = 1_750_000_000  # a fixed time: the same request gets the same bytes
_CERTAIN = math.log(0.999)


def completion(request: ChatRequest, reply: Reply, bill: Bill | None) -> dict[str, Any]:
    """A ``chat.completion``; without a bill its ``usage`` is left out."""
    refused = reply.refusal is not None
    choice = {
        "index": 0,
        "message": {
            "role": "assistant",
            "content": None if refused else reply.text,
            "refusal": reply.refusal,
        },
        "logprobs": _logprobs(request, reply) if request.body.get("logprobs") else None,
        "finish_reason": reply.finish,
    }
    body = {
        "id": f"chatcmpl-{request.key}",
        "object": "chat.completion",
        "created": CREATED,
        "model": request.model,
        "choices": [choice],
        "system_fingerprint": "fp_scripted",
    }
    return body if bill is None else body | {"usage": usage(bill)}


def usage(bill: Bill) -> dict[str, Any]:
    """Usage as chat completions report it."""
    return {
        "prompt_tokens": bill.prompt,
        "completion_tokens": bill.completion,
        "total_tokens": bill.total,
        "prompt_tokens_details": {"cached_tokens": bill.cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def _logprobs(request: ChatRequest, reply: Reply) -> dict[str, Any]:
    """Per generated token its log-probability and its likeliest alternatives.

    Tokens without a distribution are as good as certain, with no alternative.
    """
    given = reply.distributions
    pieces = tokens(reply.text)
    content = [
        _token(piece, given[n] if n < len(given) else {}, request.top_logprobs)
        for n, piece in enumerate(pieces)
    ]
    return {"content": content, "refusal": None}


def _token(token: str, distribution: Mapping[str, float], top: int) -> dict[str, Any]:
    likely = sorted((distribution or {token: _CERTAIN}).items(), key=lambda pair: -pair[1])[:top]
    own = distribution.get(token, _CERTAIN)
    return _entry(token, own) | {"top_logprobs": [_entry(*pair) for pair in likely]}


def _entry(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode())}


def model_list(models: tuple[str, ...]) -> dict[str, Any]:
    """The answer of ``/v1/models``."""
    return {
        "object": "list",
        "data": [
            {"id": name, "object": "model", "created": CREATED, "owned_by": "scripted"}
            for name in models
        ],
    }
