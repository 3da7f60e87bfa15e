"""Rewards over real HTTP to services that fail: what is scored is scored the same (Must 3)."""

from __future__ import annotations

import pytest
from tests.writing.fakes import answer

from leafward.engines.pubmed import PubMedEngine
from leafward.engines.trials import TrialsEngine
from leafward.library.writing import Scorer
from leafward.testing import Fault, Inject, StandInServices
from leafward.types import Document, Need
from leafward.writing import Environment

WORDS = ["aspirin", "stroke", "heparin", "asthma", "infants", "adults", "dose", "placebo"]
BAD = [
    Fault.RATE_LIMITED,
    Fault.SERVER_ERROR,
    Fault.DROPPED,
    Fault.DROPPED_MIDDLE,
    Fault.GARBAGE,
    Fault.HTML_PAGE,
]


def records() -> list[Document]:
    made = []
    for number in range(1, 121):
        words = [word for place, word in enumerate(WORDS) if number % (place + 2) == 0]
        text = f"Trial of {' and '.join(words) or 'nothing'}."
        made.append(Document(str(number), text, f"Record {number}", {"year": "2004"}))
    return made


def attempts() -> tuple[list[Need], list[str]]:
    needs, texts = [], []
    for number, first in enumerate(WORDS):
        for second in WORDS[number + 1 :]:
            relevant = {str(each): 1 for each in range(number + 1, 120, number + 3)}
            needs.append(Need(f"{first} {second}", f"{first} in {second}", relevant=relevant))
            texts.append(answer(f"{first} AND {second}"))
    texts[::9] = [answer(f"({word}") for word in WORDS for _ in range(9)][: len(texts[::9])]
    return needs, texts


@pytest.mark.parametrize("service", ["pubmed", "trials"])
def test_faults_never_change_a_reward(service: str) -> None:
    needs, texts = attempts()

    def judged(server: StandInServices, deadline: float) -> tuple[list[float | None], int]:
        settings = server.settings(total_deadline=deadline)
        make = {"pubmed": PubMedEngine, "trials": TrialsEngine}[service]
        engine = make(settings)
        environment = Environment(needs, engine, "literature")
        with Scorer(environment) as scorer:
            rewards = scorer.rewards(texts, needs)
            scorer.call(engine.aclose)
        return rewards, environment.failures.total()

    with StandInServices(records(), records()) as sound:
        expected, none = judged(sound, 30.0)
    assert None not in expected and none == 0
    assert len(set(expected)) > 2
    # Some of these strike once and are tried again; the last strikes for good.
    faults = [
        Inject(each, probability=0.2 / len(BAD), seed=place) for place, each in enumerate(BAD)
    ]
    lasting = Inject(Fault.STALL, probability=0.1, seed=9)
    with StandInServices(records(), records(), faults=[*faults, lasting]) as flaky:
        given, lost = judged(flaky, 1.0)
        assert flaky.stats().requests > 0
    assert lost == given.count(None)
    assert 0 < lost < len(given)
    assert [one for one, other in zip(expected, given, strict=True) if other is not None] == [
        other for other in given if other is not None
    ]
