"""MiniLM on its real weights: what it reads, how it batches, and that meaning counts."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.errors import MissingExtra, WeightsError
from leafward.models.minilm import DIMENSIONS, MiniLmEmbedder, _batches
from leafward.models.registry import find
from leafward.protocols import Embedder


@pytest.fixture(scope="module")
def minilm() -> Iterator[MiniLmEmbedder]:
    try:
        find("minilm")
    except WeightsError as error:
        pytest.skip(f"{error.message}; {error.hint}")
    yield MiniLmEmbedder.open(offline=True, threads=1)


@pytest.mark.real_model
def test_meaning_brings_texts_together(minilm: MiniLmEmbedder) -> None:
    query, near, far = minilm.embed(
        [
            "How do I stop my car?",
            "Pressing the brake pedal slows the vehicle.",
            "A recipe for lemon cake.",
        ],
        role="query",
    )
    assert query @ near > 0.4
    assert query @ far < 0.2


@pytest.mark.real_model
def test_rows_are_unit_in_order_and_the_same_every_time(minilm: MiniLmEmbedder) -> None:
    texts = [f"text {n} " + "word " * (n * 7 % 90) for n in range(20)] + ["", " "]
    vectors = minilm.embed(texts, role="document")
    assert vectors.shape == (22, DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert np.array_equal(vectors, minilm.embed(texts, role="document"))
    alone = np.concatenate([minilm.embed([text], role="query") for text in texts])
    assert np.abs(alone - vectors).max() < 1e-5


@pytest.mark.real_model
def test_only_the_first_256_tokens_are_read(minilm: MiniLmEmbedder) -> None:
    start = "tree " * 254  # and the two tokens that mark start and end
    whole, longer, shorter = minilm.embed(
        [start, start + "an unrelated ending about violins", start[: len(start) // 2] + "violins"],
        role="document",
    )
    assert np.allclose(whole, longer, atol=1e-5)
    assert not np.allclose(whole, shorter, atol=1e-3)


@pytest.mark.real_model
def test_it_is_close_to_the_official_float32_model(minilm: MiniLmEmbedder) -> None:
    """Reference: all-MiniLM-L6-v2's own weights, run in float32 from its model.safetensors."""
    vectors = minilm.embed(
        [
            "This is an example sentence",
            "Each sentence is converted",
            "The cat sits on the mat",
            "A kitten rests on a rug.",
        ],
        role="document",
    )
    official = [[1, 0.4046, -0.0620, -0.0575], [0.4046, 1, -0.0433, -0.0714]]
    assert np.abs(vectors[:2] @ vectors.T - official).max() < 0.01
    assert vectors[2] @ vectors[3] == pytest.approx(0.6470, abs=0.01)
    assert np.abs(vectors[0, :4] - [0.06766, 0.0635, 0.04871, 0.0793]).max() < 0.01


@pytest.mark.real_model
def test_nothing_in_gives_nothing_out(minilm: MiniLmEmbedder) -> None:
    embedder: Embedder = minilm
    assert embedder.embed([], role="query").shape == (0, embedder.dimensions)


@given(st.lists(st.integers(2, 256), max_size=300))
def test_batches_hold_every_row_once_and_little_padding(lengths: list[int]) -> None:
    batches = list(_batches(lengths))
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) * max(lengths[row] for row in batch) <= 512
    longest = [max(lengths[row] for row in batch) for batch in batches]
    assert longest == sorted(longest)


def test_without_weights_the_hint_says_how_to_pull(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(WeightsError) as raised:
        MiniLmEmbedder.open(cache_dir=tmp_path, offline=True)
    assert raised.value.hint == "leafward models pull minilm"


def test_without_onnxruntime_the_hint_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refuse(name: str, *args: object, **kwargs: object) -> object:
        if name == "onnxruntime":
            raise ImportError("no module", name=name)
        return original(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtra) as raised:
        MiniLmEmbedder.open()
    assert "leafward[embed]" in raised.value.hint
