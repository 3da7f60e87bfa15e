"""What a scripted server plays: its rules, its faults, its pace and what it supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from leafward.testing.chat import Rule
from leafward.testing.faults import Inject
from leafward.testing.latency import Constant, Latency

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
    """

    rules: Sequence[Rule] = ()
    faults: Sequence[Inject] = ()
    latency: Latency = AT_ONCE
    formats: Literal["schema", "object", "none"] = "schema"
    slots: int | None = None
    overflow: Literal["queue", "reject"] = "queue"
    models: Sequence[str] | None = None
    api_key: str | None = None
    context_tokens: int | None = None
    dimensions: int = 64
    seed: int = 0
