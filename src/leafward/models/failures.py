"""From everything that can go wrong between us and a provider to one tree of errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from leafward.errors import (
    ModelError,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from leafward.models.providers import Endpoint
from leafward.remote.retry_after import parse_retry_after

if TYPE_CHECKING:
    from openai import APIError

_MAY_BE_BILLED = {408, 502, 504, 522, 524}  # a gateway gave up on an answer that may still be made
_NOT_SENT = {
    *("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError"),
    *("UnsupportedProtocol", "LocalProtocolError"),
}
_OUT_OF_MONEY = ("insufficient_quota", "billing", "credit balance")
_OF_REQUEST = {400, 413, 422}
_ACCOUNT = (*_OUT_OF_MONEY, "api key", "api_key", "apikey")  # some send 400 for these as well


class Unreachable(ModelUnavailable):
    """No connection could be made, so that nothing was sent."""


def lost_answer(endpoint: Endpoint, what: str) -> ModelTimeout:
    """The error for a request that was sent and whose answer did not arrive."""
    return ModelTimeout(
        f"{endpoint.spec}: {what}",
        hint="raise models.attempt_timeout, or lower models.concurrency, if this happens often",
    )


def translate(error: APIError, endpoint: Endpoint) -> ModelError:
    """The error of ours for one of the SDK; the message is redacted and short."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return status_error(
            error.status_code, complaint(error, endpoint), endpoint, error.response.headers
        )
    if isinstance(error, openai.APITimeoutError) and not _never_sent(error):
        return lost_answer(endpoint, "no answer in time")
    if isinstance(error, openai.APIConnectionError):
        if _never_sent(error):
            return Unreachable(
                f"{endpoint.spec}: no connection to {endpoint.public_url}",
                hint="is the server running and models.base_url right? `leafward doctor` tells",
            )
        return lost_answer(endpoint, "the connection broke before the answer was complete")
    return unreadable(endpoint, type(error).__name__)


def unreadable(endpoint: Endpoint, what: str) -> ModelError:
    """The error for an answer that is not what the protocol says; it may have been billed."""
    failure = ModelUnavailable(
        f"{endpoint.spec}: the answer is not in OpenAI's format ({what})",
        hint=f"is {endpoint.public_url} an OpenAI-compatible endpoint (often it ends in /v1)?",
    )
    failure.billed = True
    return failure


def complaint(error: APIError, endpoint: Endpoint) -> str:
    """A provider's message with the code and parameter that it names."""
    parts = [error.message, error.code or "", str(error.param or "")]
    body = error.body
    if isinstance(body, dict | list):
        parts.append(json.dumps(body, default=str))
    return endpoint.redact(" ".join(part for part in parts if part))


def status_error(
    status: int, message: str, endpoint: Endpoint, headers: Mapping[str, str]
) -> ModelError:
    """The error for an HTTP status."""
    text = f"{endpoint.spec}: HTTP {status}: {message}"
    if status == 429 and any(word in message.lower() for word in _OUT_OF_MONEY):
        return ModelRejected(text, hint="the account is out of credit: see the provider's billing")
    retry_after = parse_retry_after(headers)
    if status in _MAY_BE_BILLED:
        return ModelTimeout(text, hint="the provider is slow; it is tried again by itself")
    if status == 429 or (status >= 500 and retry_after is not None):
        return RateLimited(
            text,
            retry_after=retry_after,
            hint="lower models.concurrency, or set models.requests_per_minute or"
            " models.tokens_per_minute to your plan's limits",
        )
    if status >= 500 or status in (409, 425):
        return ModelUnavailable(text, hint="the provider has trouble: try again later")
    alone = status in _OF_REQUEST and not any(word in message.lower() for word in _ACCOUNT)
    hint = _rejection_hint(status, message, endpoint)
    return ModelRejected(text, of_request=alone, hint=hint)


def _rejection_hint(status: int, message: str, endpoint: Endpoint) -> str:
    if status in (401, 403):
        return endpoint.key_hint
    if status == 402:
        return "the account is out of credit: see the provider's billing"
    if status == 404:
        return f"is there a model {endpoint.model!r} at {endpoint.public_url}?"
    if status == 413 or "context" in message.lower() or "too long" in message.lower():
        return "the prompt is too long: set models.context_tokens to what the model takes"
    if "logprobs" in message:
        return "this model gives no log-probabilities: use another judge or a local model"
    return f"see what {endpoint.public_url} says about the request; it will not be sent again"


def _never_sent(error: BaseException) -> bool:
    """Whether a transport error came before anything was sent; names are those of httpx."""
    cause: BaseException | None = error
    while cause is not None:
        if type(cause).__name__ in _NOT_SENT:
            return True
        cause = cause.__cause__
    return False
