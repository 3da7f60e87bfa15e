from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.fakes import MemoryCache

from leafward.models.capabilities import Capabilities, Remembered, adapt

OPENAI = Capabilities(limit_field="max_completion_tokens")
PLAIN = Capabilities()
URL = "http://localhost/v1"


@pytest.mark.parametrize(
    ("sent", "message", "expected"),
    [
        (PLAIN, "'max_tokens' is not supported. Use 'max_completion_tokens' instead", OPENAI),
        (OPENAI, "max_completion_tokens: extra inputs are not permitted", PLAIN),
        (PLAIN, "'temperature' does not support 0", Capabilities(temperature=False)),
        (PLAIN, 'Unknown name "seed": Cannot find field', Capabilities(seed=False)),
        (PLAIN, "response_format is not supported", Capabilities("json_object")),
        (PLAIN, "failed to parse grammar", Capabilities("json_object")),
        (PLAIN, "max_tokens is too large: 9000. This model has 4096", None),
        (PLAIN, "This model's maximum context length is 4096 tokens", None),
        (PLAIN, "model not found", None),
        (Capabilities("prompt"), "response_format is not supported", None),
    ],
)
def test_reads_what_providers_say(
    sent: Capabilities, message: str, expected: Capabilities | None
) -> None:
    change = adapt(sent, sent, message, with_schema=True)
    assert (change and change.capabilities) == expected


def test_without_a_schema_nothing_is_learned_about_json() -> None:
    assert adapt(PLAIN, PLAIN, "response_format is odd", with_schema=False) is None


words = st.sampled_from(
    ["unsupported", "max_tokens", "max_completion_tokens", "temperature", "seed", "json_schema"]
)


@settings(deadline=None)
@given(st.lists(st.lists(words).map(" ".join), min_size=8, max_size=8))
def test_adapting_comes_to_an_end(complaints: list[str]) -> None:
    sent = PLAIN
    steps = 0
    for complaint in complaints:
        change = adapt(PLAIN, sent, complaint, with_schema=True)
        if change is not None:
            assert change.capabilities != sent
            sent, steps = change.capabilities, steps + 1
    assert steps <= 5


def test_what_others_found_out_meanwhile_is_kept(cache: MemoryCache) -> None:
    record = Remembered(PLAIN, base_url=URL, model="m", cache=cache)
    record.learn(PLAIN, Capabilities(seed=False))
    record.learn(PLAIN, Capabilities("json_object"))
    record.learn(PLAIN, PLAIN)
    both = Capabilities("json_object", seed=False)
    assert record.current == both
    assert Remembered(PLAIN, base_url=URL, model="m", cache=cache).current == both
    assert Remembered(PLAIN, base_url=URL, model="other", cache=cache).current == PLAIN
    assert Remembered(PLAIN, base_url="http://b/v1", model="m", cache=cache).current == PLAIN
    assert cache.kinds() == ["capabilities", "capabilities"]


def test_a_damaged_record_is_ignored(cache: MemoryCache) -> None:
    record = Remembered(PLAIN, base_url=URL, model="m", cache=cache)
    record.learn(PLAIN, Capabilities(seed=False))
    for row in cache.rows.values():
        row["answer"] = '{"output": "telepathy"}'
    assert Remembered(PLAIN, base_url=URL, model="m", cache=cache).current == PLAIN
