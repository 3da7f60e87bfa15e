"""Which rejections are a single request's fault, and which are the key's or the account's."""

from __future__ import annotations

import pytest

from leafward.errors import ModelRejected
from leafward.models.failures import status_error
from leafward.models.providers import find_endpoint
from leafward.settings import ModelSettings

ENDPOINT = find_endpoint("openai:m", ModelSettings.model_validate({"api_key": "k"}))


@pytest.mark.parametrize(
    ("status", "message", "of_request"),
    [
        (400, "This model's maximum context length is 8192 tokens", True),
        (413, "too large", True),
        (422, "cannot be processed", True),
        (400, "API key not valid. Please pass a valid API key.", False),
        (400, "Your credit balance is too low to access the API", False),
        (401, "Incorrect API key provided", False),
        (403, "forbidden", False),
        (404, "no such model", False),
        (429, "You exceeded your current quota (insufficient_quota)", False),
    ],
)
def test_whose_fault_a_rejection_is(status: int, message: str, of_request: bool) -> None:
    error = status_error(status, message, ENDPOINT, {})
    assert isinstance(error, ModelRejected)
    assert error.of_request is of_request
    assert error.hint and not error.retryable
