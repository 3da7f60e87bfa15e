"""What a scripted server plays: its rules, its faults, its pace and what it supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from leafward.errors import SettingsError
from leafward.testing.chat import Rule
from leafward.testing.faults import Inject
from leafward.testing.latency import Constant, Latency

Formats = Literal["schema", "object", "none"]
Overflow = Literal["queue", "reject"]
AT_ONCE = Constant(0.0)


@dataclass(frozen=True)
class Script:
    """Everything that decides how a server answers; see :class:`leafward.testing.ScriptedServer`.

    ``formats`` is the best ``response_format`` that is supported: "schema" (``json_schema`` and
    ``json_object``), "object" (``json_object`` only) or "none"; others are rejected with the 400
    that real servers send. ``slots`` caps the requests that are worked on at once; one more
    queues, or with ``overflow="reject"`` gets a 429. ``models`` other than these are unknown
    (None: any goes). ``context_tokens`` bounds prompt and ``max_tokens`` together.
    ``dimensions`` is the default length of embeddings. ``seed`` is that of the latencies.

    Raises SettingsError where a field has a value that it cannot have.
    """

    rules: Sequence[Rule] = ()
    faults: Sequence[Inject] = ()
    latency: Latency = AT_ONCE
    formats: Formats = "schema"
    slots: int | None = None
    overflow: Overflow = "queue"
    models: Sequence[str] | None = None
    api_key: str | None = None
    context_tokens: int | None = None
    dimensions: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        for name, choices in (("formats", get_args(Formats)), ("overflow", get_args(Overflow))):
            if getattr(self, name) not in choices:
                raise SettingsError(
                    f"{name} cannot be {getattr(self, name)!r}", hint=f"use {', '.join(choices)}"
                )
        for name in ("slots", "context_tokens", "dimensions"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int) and value > 0):
                raise SettingsError(f"{name} cannot be {value!r}", hint="use a number from 1")
