from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leafward.corpus.ids import MAX_ID, safe_id


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=200))
def test_ordinary_ids_stay_as_they_are(raw: str) -> None:
    assert safe_id(raw) == raw


@given(st.text(st.characters(), max_size=2000))
def test_every_id_is_short_and_clean_and_encodes(raw: str) -> None:
    made = safe_id(raw)
    assert len(made) <= MAX_ID
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029" for c in made)
    made.encode("utf-8")
    assert safe_id(made) == made


def test_control_characters_become_percent_bytes() -> None:
    assert safe_id("a\nb\x1b[0m") == "a%0Ab%1B[0m"
    assert safe_id("caf\udce9.txt") == "caf%E9.txt"
    assert safe_id("half\ud83d") == "half%ED%A0%BD"
    assert safe_id("  überlänge ") == "überlänge"


def test_long_ids_stay_apart() -> None:
    one, other = safe_id("x" * 5000 + "1"), safe_id("x" * 5000 + "2")
    assert one != other
    assert one[:400] == other[:400] == "x" * 400
