"""Token counts, hashes and latencies: the parts that must be the same in every process."""

from __future__ import annotations

import math
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.testing import Constant, LogNormal, Uniform
from leafward.testing.billing import PrefixCache
from leafward.testing.embeddings import embed
from leafward.testing.words import content_words, count_tokens, leading_words, plain, tokens
from leafward.tokens import estimate_tokens

PROSE = (
    "Retrieval where relevance needs reasoning: a language model walks a semantic tree of the"
    " corpus, reads 16 descriptions at a time, and scores each from 0 to 100."
)


TEXTS = st.text() | st.text("a1é_. \n\t\u2003")


@given(TEXTS)
def test_tokens_are_the_text(text: str) -> None:
    assert "".join(tokens(text)) == text
    assert count_tokens(text) == len(tokens(text))


@given(TEXTS, st.integers(0, 20))
def test_a_cut_at_a_token_counts_as_many(text: str, limit: int) -> None:
    assert count_tokens("".join(tokens(text)[:limit])) == min(limit, count_tokens(text))


def test_white_space_is_what_python_says() -> None:
    spaces = [chr(code) for code in range(0x11000) if chr(code).isspace()]
    assert [count_tokens(f"a{space}b") for space in spaces] == [2 + (s != " ") for s in spaces]


def test_counts_are_near_those_of_the_estimate_but_not_the_same() -> None:
    assert count_tokens(PROSE) == 38
    assert 0.8 < count_tokens(PROSE) / estimate_tokens(PROSE) < 1.25
    assert count_tokens("internationalisation") == 3 != estimate_tokens("internationalisation")


def test_words_of_a_text() -> None:
    assert content_words("The cells of the Body") == ["cells", "body"]
    assert content_words("To be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert leading_words(["cells divide", "cells grow", "grow up"], 2) == ["cells", "grow"]
    assert plain("A–b: “C”,\n d_1!") == "a b c d_1"


def test_embeddings_are_the_same_in_another_process() -> None:
    code = "from leafward.testing.embeddings import embed; print(embed('some words here', 16))"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert said.stdout.strip() == str(embed("some words here", 16))


@given(st.text(), st.integers(1, 300))
def test_embeddings_of_any_text_have_length_one(text: str, dimensions: int) -> None:
    vector = embed(text, dimensions)
    assert len(vector) == dimensions
    assert math.isclose(math.fsum(value * value for value in vector), 1.0, rel_tol=1e-9)


def test_prefixes_are_known_by_block_model_and_beginning() -> None:
    cache = PrefixCache()
    text = "x" * 600
    assert cache.seen("m", text) == 0
    assert cache.seen("m", text + "y") == 512
    assert cache.seen("m", text[:300]) == 256
    assert cache.seen("other", text) == 0
    assert cache.seen("m", "z" + text) == 0


@pytest.mark.parametrize(
    ("latency", "low", "high", "median"),
    [
        (Constant(0.3), 0.3, 0.3, 0.3),
        (Uniform(0.1, 0.5), 0.1, 0.5, 0.3),
        (LogNormal(0.3, 1.0, longest=2.0), 0.0, 2.0, 0.3),
    ],
)
def test_latencies_follow_their_distribution(
    latency: Constant | Uniform | LogNormal, low: float, high: float, median: float
) -> None:
    drawn = sorted(latency(random.Random(seed)) for seed in range(4001))
    assert low <= drawn[0] and drawn[-1] <= high
    assert drawn[2000] == pytest.approx(median, rel=0.1)
    assert drawn == sorted(latency(random.Random(seed)) for seed in range(4001))


def test_the_lognormal_tail_is_heavy() -> None:
    drawn = [LogNormal(1.0, 1.0)(random.Random(seed)) for seed in range(4000)]
    logs = [math.log(seconds) for seconds in drawn]
    mean = sum(logs) / len(logs)
    assert math.sqrt(sum((x - mean) ** 2 for x in logs) / len(logs)) == pytest.approx(1.0, rel=0.1)
