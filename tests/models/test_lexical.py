"""The lexical embedder: unit rows, no state, words that are shared bring texts together."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.models.lexical import DIMENSIONS, LexicalEmbedder, stem
from leafward.protocols import Embedder, Vectors

EMBEDDER = LexicalEmbedder()


def embed(*texts: str) -> Vectors:
    return EMBEDDER.embed(texts, role="document")


@given(st.lists(st.text(max_size=200), max_size=5))
def test_rows_are_unit_and_independent_of_their_company(texts: list[str]) -> None:
    vectors = EMBEDDER.embed(texts, role="document")
    assert vectors.shape == (len(texts), DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    for row, text in enumerate(texts):
        assert np.array_equal(vectors[row], EMBEDDER.embed([text], role="query")[0])


def test_shared_words_bring_texts_together() -> None:
    query, near, far = embed(
        "why do glaciers move",
        "The motion of a glacier: how moving ice flows downhill",
        "Interest rates and inflation in small open economies",
    )
    assert query @ near > 0.25
    assert query @ near > query @ far + 0.2


def test_inflections_and_case_count_as_the_same_word() -> None:
    first, second, other = embed("Folded PROTEINS", "folding protein", "failed bridges")
    assert first @ second > 0.6
    assert abs(first @ other) < 0.2


def test_stop_words_alone_do_not_make_texts_alike() -> None:
    first, second = embed("what is the cause of this tremor", "what is the price of this violin")
    assert first @ second < 0.2


def test_repetition_counts_less_and_less() -> None:
    once, often, other = embed("tiger river", "tiger " * 50 + "river", "tiger " * 49)
    assert once @ often > 0.6
    assert often @ other < 0.999


@pytest.mark.parametrize("text", ["", " \n", "!!! ...", "the of and"])
def test_a_text_without_words_gets_the_same_unit_vector(text: str) -> None:
    assert np.array_equal(embed(text), embed("?"))


def test_other_scripts_are_seen() -> None:
    same, close, far = embed("квантовая механика", "квантовой механики", "古代ローマの水道")
    assert same @ close > 0.3
    assert abs(same @ far) < 0.2


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("searching", "search"),
        ("relations", "relation"),
        ("his", "his"),
        ("axes", "axes"),
        ("passing", "pass"),
        ("walked", "walk"),
    ],
)
def test_one_ending_is_cut_where_four_letters_stay(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_vectors_do_not_depend_on_the_process() -> None:
    code = (
        "from leafward.models.lexical import LexicalEmbedder\n"
        "print(LexicalEmbedder().embed(['stable across processes'], role='query').tobytes().hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert done.stdout.strip() == embed("stable across processes").tobytes().hex()


def test_it_is_an_embedder() -> None:
    embedder: Embedder = EMBEDDER
    assert embedder.name == "lexical"
    assert embedder.dimensions == 512
