"""Requests that a real server turns away, with the status and the words it uses for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from leafward.testing.billing import prompt_tokens
from leafward.testing.chat import ChatRequest
from leafward.testing.script import Script

_GUIDE = "https://platform.openai.com/docs/guides/structured-outputs"


class Refused(Exception):
    """The request is turned away; carries what an OpenAI-compatible error body holds."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}
        self.param = param
        self.code = code

    def body(self) -> dict[str, Any]:
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        if self.status == 429:
            kind = "rate_limit_error"
        error = {"message": str(self), "type": kind, "param": self.param, "code": self.code}
        return {"error": error}


def read_chat(body: Mapping[str, Any]) -> ChatRequest:
    """The request of a JSON body; Refused where its messages or options cannot be used."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "Missing required parameter: 'messages'.", param="messages")
    if body.get("stream"):
        raise Refused(400, "This server does not stream.", param="stream", code="unsupported_value")
    if body.get("n", 1) not in (None, 1):
        raise Refused(400, "Only n=1 is supported.", param="n", code="unsupported_value")
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    if limit is not None and not (isinstance(limit, int) and limit > 0):
        raise Refused(400, "max_tokens must be a positive integer.", param="max_tokens")
    return ChatRequest(str(body.get("model", "")), tuple(map(_turn, messages)), body)


def _turn(message: Any) -> tuple[str, str]:
    if not isinstance(message, Mapping):
        raise Refused(400, "Each message must be an object.", param="messages")
    content = message.get("content") or ""
    if isinstance(content, list):  # content parts; only text can be read here
        content = "".join(str(part.get("text", "")) for part in content)
    return str(message.get("role", "user")), str(content)


def check_model(model: str, script: Script) -> None:
    """Refuse a model that the script does not name."""
    if script.models is not None and model not in script.models:
        raise Refused(
            404,
            f"The model `{model}` does not exist or you do not have access to it.",
            code="model_not_found",
        )


def check_chat(request: ChatRequest, script: Script) -> None:
    """Refuse what the scripted model does not support."""
    check_model(request.model, script)
    _check_format(request, script)
    logprobs = request.body.get("top_logprobs")
    if logprobs is not None and not request.body.get("logprobs"):
        message = "Invalid value for 'top_logprobs': set 'logprobs' to true."
        raise Refused(400, message, param="top_logprobs")
    if isinstance(logprobs, int) and not 0 <= logprobs <= 20:
        raise Refused(400, "'top_logprobs' must be between 0 and 20.", param="top_logprobs")
    if script.context_tokens is not None:
        wanted = prompt_tokens(request) + (request.max_tokens or 0)
        if wanted > script.context_tokens:
            message = (
                f"This model's maximum context length is {script.context_tokens} tokens."
                f" However, you requested {wanted} tokens. Please reduce the length of the"
                " messages or completion."
            )
            raise Refused(400, message, param="messages", code="context_length_exceeded")


def _check_format(request: ChatRequest, script: Script) -> None:
    wanted = request.response_format.get("type", "text")
    if wanted == "text":
        return
    supported = {"schema": ("json_schema", "json_object"), "object": ("json_object",), "none": ()}
    if wanted not in supported[script.formats]:
        message = (
            f"Invalid parameter: 'response_format' of type '{wanted}' is not supported with this"
            f" model. Learn more about supported models at the Structured Outputs guide: {_GUIDE}"
        )
        raise Refused(400, message, param="response_format")
    if wanted == "json_object" and "json" not in request.prompt.lower():
        message = (
            "'messages' must contain the word 'json' in some form, to use 'response_format' of"
            " type 'json_object'."
        )
        raise Refused(400, message, param="messages")
    if wanted == "json_schema":
        _check_schema(request)


def _check_schema(request: ChatRequest) -> None:
    if request.schema is None:
        message = "Missing required parameter: 'response_format.json_schema.schema'."
        raise Refused(400, message, param="response_format")
    if not request.response_format["json_schema"].get("strict"):
        return
    for problem in _strict_problems(request.schema, "()"):
        message = f"Invalid schema for response_format '{request.schema_name}': {problem}"
        raise Refused(400, message, param="response_format", code="invalid_json_schema")


def _strict_problems(schema: Any, place: str) -> Iterator[str]:
    """What OpenAI's strict mode asks of every object: closed, and all properties required."""
    if isinstance(schema, list):
        for number, item in enumerate(schema):
            yield from _strict_problems(item, f"{place}[{number}]")
        return
    if not isinstance(schema, Mapping):
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        if schema.get("additionalProperties") is not False:
            yield (
                f"In context={place}, 'additionalProperties' is required to be supplied and to"
                " be false."
            )
        if missing := sorted(properties.keys() - set(schema.get("required", ()))):
            yield f"In context={place}, 'required' must include every property. Missing {missing}."
    for name, value in schema.items():
        yield from _strict_problems(value, f"{place}.{name}")
