"""A scripted model server for tests: OpenAI-compatible, on loopback, and as bad as you ask for.

It answers by rule, at a chosen pace, injects faults by name, and counts what it was asked and
what it billed, so that a test can prove that nothing was paid twice and no budget was overshot.
It needs nothing but the standard library and no network beyond 127.0.0.1.

>>> import urllib.request, json
>>> from leafward.testing import Fault, Inject, LogNormal, ScriptedServer, rules
>>> server = ScriptedServer(
...     rules=[rules.summaries, rules.clusters, rules.canned({"": "Hello!"})],
...     faults=[Inject(Fault.RATE_LIMITED, nth={2})],  # the second call gets a 429
...     latency=LogNormal(median=0.001, sigma=1.0),
... )
>>> with server:
...     body = {"model": "any", "messages": [{"role": "user", "content": "Say hello."}]}
...     request = urllib.request.Request(
...         f"{server.base_url}/chat/completions", json.dumps(body).encode()
...     )
...     answer = json.load(urllib.request.urlopen(request))
>>> answer["choices"][0]["message"]["content"]
'Hello!'
>>> server.stats().requests, server.stats().paid_twice
(1, 0)

Give ``server.base_url`` to any OpenAI client, or to Leafward as ``models.base_url``.

*Rules* are functions ``ChatRequest -> Reply | None``; :mod:`leafward.testing.rules` has those for
Leafward's own prompts: ``summaries``, ``clusters``, ``describe_group``, ``query``, the judges
``oracle_judge``, ``noisy_judge`` and ``letters`` (over an :class:`Oracle` made from a corpus and
its qrels), and ``canned`` and ``in_turn`` for any others. A request that no rule answers gets 422.

*Faults* are the members of :class:`Fault`; :class:`Inject` says when one strikes.

*Endpoints*: ``POST /v1/chat/completions`` (no streaming), ``POST /v1/embeddings``,
``GET /v1/models``, and ``GET /stats`` (:class:`Stats` as JSON).

*Search services* have stand-ins of their own: :class:`StandInServices` speaks PubMed's and
ClinicalTrials.gov's protocols over documents that you give it.

A client that a test kills needs a server that lives on: :class:`ScriptedProcess`, or
``python -m leafward.testing.server --rules FILE`` with the script as JSON (:func:`read_script`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.testing import rules
from leafward.testing.chat import ChatRequest, Reply, Rule
from leafward.testing.faults import Fault, Inject
from leafward.testing.latency import Constant, Latency, LogNormal, Uniform
from leafward.testing.oracle import Oracle, word_overlap
from leafward.testing.process import ScriptedProcess
from leafward.testing.rules import Noise
from leafward.testing.script import Script
from leafward.testing.scripted import ScriptedServer
from leafward.testing.spec import load_script, read_script
from leafward.testing.stats import KindStats, Stats

if TYPE_CHECKING:
    from leafward.testing.services import SERVICE_FAULTS, StandInServices

__all__ = [
    "SERVICE_FAULTS",
    "ChatRequest",
    "Constant",
    "Fault",
    "Inject",
    "KindStats",
    "Latency",
    "LogNormal",
    "Noise",
    "Oracle",
    "Reply",
    "Rule",
    "Script",
    "ScriptedProcess",
    "ScriptedServer",
    "StandInServices",
    "Stats",
    "Uniform",
    "load_script",
    "read_script",
    "rules",
    "word_overlap",
]


def __getattr__(name: str) -> object:
    """The stand-ins are loaded when they are asked for: they need an engine, the models do not."""
    if name not in ("SERVICE_FAULTS", "StandInServices"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from leafward.testing import services

    return getattr(services, name)
