"""The endpoints: who may ask, what is asked, and which rule answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from leafward.testing.answers import completion, model_list
from leafward.testing.billing import PrefixCache, bill
from leafward.testing.chat import ChatRequest, Reply
from leafward.testing.embeddings import embeddings_answer, read_inputs
from leafward.testing.faults import Fault
from leafward.testing.refusals import Refused, check_chat, check_model, read_chat
from leafward.testing.script import Script
from leafward.testing.spoil import cut, spoil
from leafward.testing.stats import Bill, Ledger
from leafward.testing.wire import HttpRequest, HttpResponse, Send
from leafward.testing.words import stable_hash
from leafward.testing.work import Call, Desk, read_object

DEFAULT_MODEL = "scripted"


class App:
    """Routes requests; lives in the server's event loop."""

    def __init__(self, script: Script, ledger: Ledger) -> None:
        self._ledger = ledger
        self._desk = Desk(script, ledger)
        self._prefixes = PrefixCache()

    def play(self, script: Script) -> None:
        """Answer by another script from the next request on; its schedule starts anew."""
        self._desk = Desk(script, self._ledger)

    async def handle(self, request: HttpRequest, send: Send) -> None:
        """Answer one request (a :data:`leafward.testing.wire.Handler`)."""
        try:
            call = self._route(request)
        except Refused as refusal:
            send(HttpResponse.json(refusal.body(), status=refusal.status))
            return
        if isinstance(call, HttpResponse):
            send(call)
        else:
            await self._desk.work(call, send)

    def _route(self, request: HttpRequest) -> Call | HttpResponse:
        path = request.target.partition("?")[0].rstrip("/")
        if path == "/stats":
            _only(request, "GET")
            return HttpResponse.json(self._ledger.snapshot().to_json())
        self._authorise(request)
        if path == "/v1/models" or path.startswith("/v1/models/"):
            _only(request, "GET")
            return self._models(path.removeprefix("/v1/models").strip("/"))
        if path == "/v1/chat/completions":
            _only(request, "POST")
            return self._chat(read_object(request.body))
        if path == "/v1/embeddings":
            _only(request, "POST")
            return self._embeddings(read_object(request.body))
        raise Refused(404, f"Unknown request URL: {request.method} {path}.", code="unknown_url")

    def _authorise(self, request: HttpRequest) -> None:
        key = self._desk.script.api_key
        if key is not None and request.headers.get("authorization") != f"Bearer {key}":
            raise Refused(401, "Incorrect API key provided.", code="invalid_api_key")

    def _models(self, name: str) -> HttpResponse:
        models = tuple(self._desk.script.models or (DEFAULT_MODEL,))
        if not name:
            return HttpResponse.json(model_list(models))
        check_model(name, self._desk.script)
        return HttpResponse.json(model_list((name,))["data"][0])

    def _chat(self, body: Mapping[str, Any]) -> Call:
        request = read_chat(body)
        script = self._desk.script

        def make(fault: Fault | None, attempt: int) -> tuple[dict[str, Any], Bill]:
            asked = request.asked(attempt)
            check_chat(asked, script)
            reply = _reply(asked, script)
            if fault is not None:
                reply = spoil(reply, fault, asked)
            reply = cut(reply, asked.max_tokens)
            cost = bill(asked, reply, self._prefixes)
            return completion(asked, reply, None if fault is Fault.NO_USAGE else cost), cost

        return Call(request.kind, request.key, make)

    def _embeddings(self, body: Mapping[str, Any]) -> Call:
        script = self._desk.script

        def make(fault: Fault | None, attempt: int) -> tuple[dict[str, Any], Bill]:
            check_model(str(body.get("model", "")), script)
            texts = read_inputs(body)
            with_usage = fault is not Fault.NO_USAGE
            return embeddings_answer(body, texts, script.dimensions, with_usage=with_usage)

        asked = json.dumps([body.get("model"), body.get("input")])
        return Call("embeddings", f"{stable_hash(asked):016x}", make)


def _only(request: HttpRequest, method: str) -> None:
    if request.method != method:
        raise Refused(405, f"Not allowed to {request.method} here; use {method}.")


def _reply(request: ChatRequest, script: Script) -> Reply:
    """The first rule's answer; 422, which no client takes for a passing fault, where none has."""
    for rule in script.rules:
        if (reply := rule(request)) is not None:
            return reply
    raise Refused(
        422,
        f"No rule of the scripted server answers this request of kind {request.kind!r}.",
        code="no_rule",
    )
