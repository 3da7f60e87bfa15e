"""Asking for a shape, and once more where the first answer cannot be used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from leafward.errors import ModelRefused, UnusableOutput
from leafward.protocols import DEFAULT_SAMPLING, ChatModel
from leafward.structured.parsing import parse
from leafward.tokens import estimate_messages
from leafward.types import Completion, JsonSchema, Message, Sampling, Usage

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Answer(Generic[Shape]):
    """A validated answer; ``salvaged`` where parts of what the model said were left out.

    ``usage`` counts every call that was made for it, ``completion`` is the one it was read from.
    """

    value: Shape
    usage: Usage
    salvaged: bool
    completion: Completion


async def ask(
    model: ChatModel,
    messages: Sequence[Message],
    shape: type[Shape],
    *,
    sampling: Sampling = DEFAULT_SAMPLING,
) -> Answer[Shape]:
    """Ask a model for a shape: schema, validation, salvage, one re-ask that says what was wrong.

    Raises:
        ModelRefused: the model declined, twice.
        UnusableOutput: neither answer held anything of the shape.
        ModelError, BudgetExceeded, Interrupted: as :meth:`ChatModel.complete`.
    """
    schema = _schema(shape)
    first = await model.complete(messages, schema=schema, sampling=sampling)
    answer = _read(first, shape, first.usage)
    if answer is not None:
        return answer
    again = _reminded(messages, _complaint(first, shape), schema)
    second = await model.complete(
        again, schema=schema, sampling=_more_room(model, again, sampling, first)
    )
    answer = _read(second, shape, first.usage + second.usage)
    if answer is not None:
        return answer
    raise _failure(model, second, _complaint(second, shape))


@cache
def _schema(shape: type[BaseModel]) -> JsonSchema:
    """The shape's schema, which every call of a stage sends and nobody changes."""
    return shape.model_json_schema()


def _read(completion: Completion, shape: type[Shape], usage: Usage) -> Answer[Shape] | None:
    if completion.finish_reason == "refusal":
        return None
    value, salvaged = parse(completion.text, shape)
    return None if value is None else Answer(value, usage, salvaged, completion)


def _complaint(completion: Completion, shape: type[BaseModel]) -> str:
    """What was wrong with an answer, in a few words that do not repeat what the model wrote."""
    if completion.finish_reason == "refusal":
        return "it declined to answer"
    if not completion.text.strip():
        return "it was empty"
    if completion.finish_reason == "length":
        return "it was cut off before anything was complete; be brief"
    try:
        shape.model_validate_json(completion.text)
    except ValidationError as error:
        return _first_complaint(error)
    return "nothing in it was valid"


def _first_complaint(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if details["type"] == "json_invalid":
        return "it was not valid JSON"
    place = ".".join(str(part) for part in details["loc"])
    return f"{place}: {details['msg']}"[:200] if place else details["msg"][:200]


def _reminded(messages: Sequence[Message], complaint: str, schema: JsonSchema) -> list[Message]:
    """The same conversation, its last turn extended: chat templates want turns to alternate."""
    note = (
        f"An earlier answer to this could not be used: {complaint}. Answer with one JSON object"
        f" that follows this JSON schema, and with nothing else:\n{json.dumps(schema)}"
    )
    *before, last = messages
    return [*before, replace(last, content=f"{last.content}\n\n{note}")]


def _more_room(
    model: ChatModel, messages: Sequence[Message], sampling: Sampling, first: Completion
) -> Sampling:
    """The next attempt; with twice the tokens where the first ran out and the context has room."""
    wanted = sampling.max_tokens * (2 if first.finish_reason == "length" else 1)
    prompt = estimate_messages(messages)
    room = model.context_tokens - prompt - prompt // 4
    tokens = wanted if wanted <= room else sampling.max_tokens
    return replace(sampling, max_tokens=tokens, attempt=sampling.attempt + 1)


def _failure(model: ChatModel, last: Completion, complaint: str) -> UnusableOutput:
    if last.finish_reason == "refusal":
        return ModelRefused(
            f"{model.name} declined to answer, twice",
            hint="try another model, or look at the documents in question with `leafward show`",
        )
    return UnusableOutput(
        f"{model.name} gave no usable answer, even when asked again: {complaint}",
        hint="use a stronger model; where answers are cut off, ask for less at once",
    )
