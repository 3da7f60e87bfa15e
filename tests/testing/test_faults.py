"""Every fault as the openai client meets it, and when faults strike."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from leafward.testing import ChatRequest, Fault, Inject, Reply, ScriptedServer, rules
from leafward.testing.faults import Schedule

MakeClient = Callable[[ScriptedServer], AsyncOpenAI]
SCORES = {
    "reasoning": "brief",
    "scores": [{"id": n, "score": 10 * n, "reason": f"because {n}"} for n in range(1, 6)],
}
SUMMARIES = {"passages": [{"id": n, "summaries": list("abcde")} for n in (1, 2, 3)]}
CLUSTERS = {
    "clusters": [
        {"name": "one", "description": "first", "keywords": ["a", "b", "c"]},
        {"name": "two", "description": "second", "keywords": ["d"]},
    ]
}
ANSWERS: dict[str, Mapping[str, Any]] = {
    "slate_scores": SCORES,
    "summaries": SUMMARIES,
    "clusters": CLUSTERS,
}


def by_kind(request: ChatRequest) -> Reply:
    return Reply.json(ANSWERS.get(request.kind, {"query": "what?"}))


@dataclass
class Outcome:
    """What a client got: an error, or an answer with its text read as JSON where it is JSON."""

    error: Exception | None = None
    text: str | None = None
    finish: str | None = None
    refusal: str | None = None
    usage: Any = None
    body: str | None = None

    @property
    def value(self) -> Any:
        assert self.text is not None
        return json.loads(self.text)


async def meet(
    client: AsyncOpenAI, kind: str = "slate_scores", text: str = "x", **options: Any
) -> Outcome:
    wrapper = {"name": kind, "schema": {"type": "object"}}
    try:
        answer: Any = await client.chat.completions.create(  # type: ignore[call-overload]
            model="any",
            messages=[{"role": "user", "content": text}],
            response_format={"type": "json_schema", "json_schema": wrapper},
            **options,
        )
    except Exception as error:  # noqa: BLE001 - the error is what is looked at
        return Outcome(error)
    if isinstance(answer, str):  # what the client makes of a body that is not JSON by its type
        return Outcome(body=answer)
    choice = answer.choices[0]
    return Outcome(
        None, choice.message.content, choice.finish_reason, choice.message.refusal, answer.usage
    )


def is_retry_after(outcome: Outcome) -> bool:
    error = outcome.error
    return isinstance(error, openai.RateLimitError) and error.response.headers["retry-after"] == "2"


def is_retry_date(outcome: Outcome) -> bool:
    error = outcome.error
    if not isinstance(error, openai.RateLimitError):
        return False
    until = parsedate_to_datetime(error.response.headers["retry-after"])
    return abs((until - datetime.now(UTC)).total_seconds()) < 60


def is_status(outcome: Outcome, status: int) -> bool:
    return isinstance(outcome.error, openai.InternalServerError) and (
        outcome.error.status_code == status
    )


def is_broken(outcome: Outcome) -> bool:
    return isinstance(outcome.error, openai.APIConnectionError)


def is_whitespace(outcome: Outcome) -> bool:
    text = outcome.text or ""
    return text.strip() == "{" and len(text) == 50 and outcome.finish == "length"


def is_cut_json(outcome: Outcome) -> bool:
    text = outcome.text or ""
    whole = json.dumps(SCORES, ensure_ascii=False)
    return outcome.finish == "length" and 0 < len(text) < len(whole) and whole.startswith(text)


def is_wrapped(outcome: Outcome) -> bool:
    text = outcome.text or ""
    return json.dumps(SCORES) in text and not text.startswith("{") and not text.endswith("}")


def ids(outcome: Outcome) -> list[int]:
    return [entry["id"] for entry in outcome.value["scores"]]


def scores(outcome: Outcome) -> list[Any]:
    return [entry["score"] for entry in outcome.value["scores"]]


LOOKS: dict[Fault, Callable[[Outcome], bool]] = {
    Fault.RATE_LIMITED: is_retry_after,
    Fault.RATE_LIMITED_UNTIL: is_retry_date,
    Fault.SERVER_ERROR: lambda o: is_status(o, 500),
    Fault.UNAVAILABLE: lambda o: is_status(o, 503),
    Fault.DROPPED: is_broken,
    Fault.DROPPED_MIDDLE: is_broken,
    Fault.STALL: is_broken,
    Fault.EMPTY: lambda o: o.text == "" and o.finish == "stop",
    Fault.REFUSAL: lambda o: o.text is None and "can't help" in (o.refusal or ""),
    Fault.LENGTH: is_cut_json,
    Fault.WHITESPACE: is_whitespace,
    Fault.PROSE: is_wrapped,
    Fault.FENCE: lambda o: o.text == f"```json\n{json.dumps(SCORES)}\n```",
    Fault.MISSING_IDS: lambda o: ids(o) == [2, 4],
    Fault.REPEATED_IDS: lambda o: ids(o) == [1, 2, 3, 4, 5, 1, 3, 5] and scores(o)[5] == 90,
    Fault.UNKNOWN_IDS: lambda o: ids(o)[0] > 1000 and ids(o)[1:] == [1, 2, 3, 4, 5],
    Fault.SCORE_101: lambda o: scores(o) == [101, 20, 101, 40, 101],
    Fault.SCORE_NEGATIVE: lambda o: scores(o) == [-1, 20, -1, 40, -1],
    Fault.SCORE_WORD: lambda o: scores(o) == ["high", 20, "high", 40, "high"],
    Fault.SCHEMA_IGNORED: lambda o: "{" not in (o.text or "{") and o.finish == "stop",
    Fault.INVALID_UTF8: lambda o: isinstance(o.error, UnicodeDecodeError),
    Fault.GARBAGE: lambda o: isinstance(o.error, json.JSONDecodeError),
    Fault.HTML_PAGE: lambda o: "<html>" in (o.body or ""),
    Fault.NO_USAGE: lambda o: o.usage is None and o.value == SCORES,
}


@pytest.mark.parametrize("fault", list(Fault))
async def test_a_fault_looks_as_it_should_and_strikes_once(
    connect: MakeClient, fault: Fault
) -> None:
    retry_after = 2.0 if fault in (Fault.RATE_LIMITED, Fault.RATE_LIMITED_UNTIL) else None
    inject = Inject(fault, nth={1}, retry_after=retry_after, stall=0.01)
    async with ScriptedServer(rules=[by_kind], faults=[inject]) as server:
        client = connect(server)
        struck = await meet(client, max_tokens=50 if fault is Fault.WHITESPACE else 1000)
        assert LOOKS[fault](struck), struck
        after = await meet(client)
        assert after.value == SCORES and after.usage is not None
    stats = server.stats()
    counts = stats.kinds["slate_scores"]
    assert stats.faults == {fault.value: 1}
    assert counts.requests == counts.answered + counts.rejected + counts.lost == 2
    assert counts.rejected == fault.rejects
    assert counts.lost == (fault in (Fault.DROPPED, Fault.DROPPED_MIDDLE, Fault.STALL))
    assert stats.paid_twice == (not fault.rejects)  # what was lost or useless is paid all the same
    assert (stats.lost_tokens > 0) == (counts.lost > 0)


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault.on_wire])
async def test_faults_of_the_wire_strike_embeddings(connect: MakeClient, fault: Fault) -> None:
    faults = [Inject(fault, times=1, stall=0.01)]
    async with ScriptedServer(faults=faults) as server:
        client = connect(server)
        try:
            answer = await client.embeddings.create(model="any", input="text")
        except Exception:  # noqa: BLE001 - which error is tested above; here that there is one
            assert fault is not Fault.NO_USAGE
        else:
            assert fault is Fault.NO_USAGE and answer.data
        assert (await client.embeddings.create(model="any", input="text")).usage
    assert server.stats().faults == {fault.value: 1}


@pytest.mark.parametrize("fault", [fault for fault in Fault if not fault.on_wire])
async def test_faults_of_the_content_spare_embeddings(connect: MakeClient, fault: Fault) -> None:
    async with ScriptedServer(faults=[Inject(fault)]) as server:
        assert await connect(server).embeddings.create(model="any", input="text")
    assert server.stats().faults == {}


async def test_ids_go_wrong_in_summaries_and_clusters(connect: MakeClient) -> None:
    looks: dict[Fault, tuple[list[int], list[str]]] = {
        Fault.MISSING_IDS: ([2], ["b"]),
        Fault.REPEATED_IDS: ([1, 2, 3, 1, 3], ["a", "b", "c", "a", "c"]),
        Fault.UNKNOWN_IDS: ([987_654_321, 1, 2, 3], ["never shown to me", "a", "b", "c"]),
    }
    async with ScriptedServer(rules=[by_kind]) as server:
        client = connect(server)
        for fault, (passages, keywords) in looks.items():
            server.change(faults=[Inject(fault)])
            summaries = (await meet(client, "summaries")).value["passages"]
            assert [entry["id"] for entry in summaries] == passages
            clusters = (await meet(client, "clusters")).value["clusters"]
            assert clusters[0]["keywords"] == keywords
            assert clusters[1] == CLUSTERS["clusters"][1]


@pytest.mark.parametrize("fault", [fault for fault in Fault if not fault.strikes("query")])
async def test_what_has_no_ids_or_scores_is_spared(connect: MakeClient, fault: Fault) -> None:
    async with ScriptedServer(rules=[by_kind], faults=[Inject(fault)]) as server:
        assert (await meet(connect(server), "query")).value == {"query": "what?"}
    assert server.stats().faults == {}


async def test_answers_that_are_no_json_are_left_alone_by_faults_of_ids(
    connect: MakeClient,
) -> None:
    texts = ["no json", "[1, 2]", '{"scores": [7]}']
    faults = [Inject(Fault.SCORE_101)]
    async with ScriptedServer(rules=[rules.in_turn(texts)], faults=faults) as server:
        client = connect(server)
        assert [(await meet(client)).text for _ in texts] == texts


async def test_whitespace_goes_on_until_the_limit_and_is_billed(connect: MakeClient) -> None:
    async with ScriptedServer(rules=[by_kind], faults=[Inject(Fault.WHITESPACE)]) as server:
        client = connect(server)
        assert (await meet(client, max_tokens=77)).usage.completion_tokens == 77
        assert (await meet(client)).usage.completion_tokens == 4096


def struck(schedule: Schedule, calls: list[tuple[str, str, int]]) -> list[bool]:
    return [schedule.pick(*call) is not None for call in calls]


def test_probability_is_drawn_by_prompt_and_attempt_in_any_order() -> None:
    calls = [("query", f"key {n}", attempt) for n in range(400) for attempt in (0, 1)]
    inject = Inject(Fault.EMPTY, probability=0.25, seed=7)
    one = dict(zip(calls, struck(Schedule([inject]), calls), strict=True))
    backwards = calls[::-1]
    other = dict(zip(backwards, struck(Schedule([inject]), backwards), strict=True))
    assert one == other
    assert 0.2 < sum(one.values()) / len(one) < 0.3
    assert any(one[("query", f"key {n}", 0)] != one[("query", f"key {n}", 1)] for n in range(400))
    reseeded = struck(Schedule([Inject(Fault.EMPTY, probability=0.25, seed=8)]), calls)
    assert reseeded != list(one.values())


def test_schedules_by_number_attempt_kind_and_times() -> None:
    calls = [("query", "a", 0), ("summaries", "b", 0), ("query", "a", 1), ("query", "c", 0)]
    hits = {
        "nth": (Inject(Fault.EMPTY, nth={2, 4}), [False, True, False, True]),
        "first": (Inject(Fault.EMPTY, first_attempt_only=True), [True, True, False, True]),
        "kinds": (Inject(Fault.EMPTY, kinds={"query"}), [True, False, True, True]),
        "nth of a kind": (
            Inject(Fault.EMPTY, kinds={"query"}, nth={2}),
            [False, False, True, False],
        ),
        "times": (Inject(Fault.EMPTY, times=2), [True, True, False, False]),
        "never": (Inject(Fault.EMPTY, probability=0.0), [False] * 4),
    }
    for name, (inject, expected) in hits.items():
        assert struck(Schedule([inject]), calls) == expected, name


def test_the_first_injection_that_matches_strikes() -> None:
    schedule = Schedule([Inject(Fault.EMPTY, nth={2}), Inject(Fault.PROSE, times=1)])
    picked = [schedule.pick("query", "a", 0) for _ in range(3)]
    assert [inject and inject.fault for inject in picked] == [Fault.PROSE, Fault.EMPTY, None]


async def test_attempts_are_counted_by_prompt(connect: MakeClient) -> None:
    faults = [Inject(Fault.SERVER_ERROR, first_attempt_only=True)]
    async with ScriptedServer(rules=[by_kind], faults=faults) as server:
        client = connect(server)
        outcomes = [await meet(client, text=text) for text in ("a", "a", "b", "b")]
    assert [outcome.error is None for outcome in outcomes] == [False, True, False, True]
    assert server.stats().paid_twice == 0


async def test_a_503_can_say_when_to_come_back(connect: MakeClient) -> None:
    faults = [Inject(Fault.UNAVAILABLE, retry_after=0.5)]
    async with ScriptedServer(rules=[by_kind], faults=faults) as server:
        error = (await meet(connect(server))).error
    assert isinstance(error, openai.InternalServerError)
    assert error.response.headers["retry-after"] == "0.5"


async def test_a_stall_ends_when_the_client_gives_up(connect: MakeClient) -> None:
    async with ScriptedServer(rules=[by_kind], faults=[Inject(Fault.STALL)]) as server:
        outcome = await meet(connect(server).with_options(timeout=0.2))
        assert isinstance(outcome.error, openai.APITimeoutError)
    assert (server.stats().lost, server.stats().in_flight) == (1, 0)
