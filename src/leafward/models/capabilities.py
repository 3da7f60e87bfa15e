"""What a model's endpoint understands: found out once, by what it turns away, and remembered."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, replace
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from leafward.protocols import CallCache
from leafward.types import NO_USAGE

Output = Literal["json_schema", "json_object", "prompt"]

_NEXT: dict[Output, Output] = {"json_schema": "json_object", "json_object": "prompt"}
_UNSUPPORTED = re.compile(
    r"unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed"
    r"|invalid (?:parameter|field|argument)|extra|cannot find|unavailable",
    re.IGNORECASE,
)
_OUTPUT = re.compile(r"response_?format|json_?schema|json_?object|grammar|guided", re.IGNORECASE)
_BAD_SCHEMA = re.compile(r"invalid_?\s?(?:json_)?schema", re.IGNORECASE)
_MOST_RECORDS = 8  # of one model; each is one step down from the one before it


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Which parts of the protocol a model takes.

    ``output`` is how JSON is enforced: by schema, as any JSON object, or only by asking for it.
    """

    output: Output = "json_schema"
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    seed: bool = True


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What to try next; ``lasting`` is False where only this one request was at fault."""

    capabilities: Capabilities
    lasting: bool = True


def adapt(
    known: Capabilities, sent: Capabilities, complaint: str, *, with_schema: bool
) -> Adaptation | None:
    """Read from a rejection what the endpoint does not take; None where it is something else.

    Every step takes something away that ``known`` still had, so that steps come to an end.

    Args:
        known: what the call began with.
        sent: what the rejected request made use of.
        complaint: the provider's message, with the parameter's name where it gives one.
        with_schema: whether the request asked for JSON.
    """
    if with_schema and sent.output in _NEXT and _OUTPUT.search(complaint):
        plainer = replace(sent, output=_NEXT[sent.output])
        return Adaptation(plainer, lasting=not _BAD_SCHEMA.search(complaint))
    if not _UNSUPPORTED.search(complaint):
        return None
    if sent.limit_field == known.limit_field and sent.limit_field in complaint:
        return Adaptation(replace(sent, limit_field=_other_field(sent)))
    if sent.temperature and "temperature" in complaint:
        return Adaptation(replace(sent, temperature=False))
    if sent.seed and "seed" in complaint:
        return Adaptation(replace(sent, seed=False))
    return None


def _other_field(sent: Capabilities) -> Literal["max_tokens", "max_completion_tokens"]:
    return "max_tokens" if sent.limit_field != "max_tokens" else "max_completion_tokens"


class Remembered:
    """The capabilities of one model, kept beside its answers so that other processes know them."""

    def __init__(
        self, start: Capabilities, *, base_url: str, model: str, cache: CallCache | None
    ) -> None:
        self._identity = json.dumps([base_url, model])
        self._model = model
        self._cache = cache
        self._records = 0
        self.current = start
        while (stored := self._stored()) is not None:
            self.current = stored
            self._records += 1

    def learn(self, before: Capabilities, after: Capabilities) -> None:
        """Use what a call found out from now on, here and, where there is a cache, later on.

        Only what that call changed is taken over: others may have found out more meanwhile.
        """
        changed = {
            name: value for name, value in asdict(after).items() if value != getattr(before, name)
        }
        capabilities = replace(self.current, **changed)
        if capabilities == self.current:
            return
        self.current = capabilities
        if self._cache is not None and self._records < _MOST_RECORDS:
            self._cache.put(
                self._key(),
                kind="capabilities",
                model=self._model,
                request=self._identity,
                answer=json.dumps(asdict(capabilities)),
                usage=NO_USAGE,
            )
            self._records += 1

    def _stored(self) -> Capabilities | None:
        answer = self._cache.get(self._key()) if self._cache is not None else None
        if answer is None:
            return None
        try:
            return TypeAdapter(Capabilities).validate_json(answer)
        except ValidationError:
            return None

    def _key(self) -> str:
        """A cache keeps the first answer to a key, so that each step has a key of its own."""
        record = f"capabilities {self._records} {self._identity}"
        return hashlib.sha256(record.encode()).hexdigest()
