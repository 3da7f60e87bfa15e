from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leafward.tokens import cut_tokens, estimate_messages, estimate_tokens
from leafward.types import Message


@given(st.text(), st.integers(1, 50))
def test_cut_fits(text: str, limit: int) -> None:
    cut = cut_tokens(text, limit)
    assert estimate_tokens(cut) <= max(limit, 1)
    if estimate_tokens(text) <= limit:
        assert cut == text


def test_cut_ends_between_words_where_there_are_any() -> None:
    assert cut_tokens("one two three four", 3) == "one two…"
    assert cut_tokens("one haemoglobin-affinity", 4) == "one…"
    assert cut_tokens("漢字" * 100, 10) == "漢字" * 4 + "漢…"
    assert cut_tokens("one\ntwo three", 2) == "one…"


def test_estimate_is_near_a_bpe_count() -> None:
    # 20 tokens in the Qwen2.5 vocabulary.
    sentence = "Oxygen in the blood of high-altitude mammals is regulated by haemoglobin affinity."
    assert abs(estimate_tokens(sentence) - 20) <= 5


def test_messages_are_worth_what_they_say() -> None:
    messages = [Message("system", "one two"), Message("user", "three")]
    assert estimate_messages(messages) == 3
    assert estimate_messages([]) == 0
