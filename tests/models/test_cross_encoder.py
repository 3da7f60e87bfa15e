from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from leafward.errors import MissingExtra, WeightsError
from leafward.models.cross_encoder import CrossEncoderModel


class Library(ModuleType):
    """What is used of sentence-transformers; its scores are lengths of texts."""

    def __init__(self, outputs: int = 1) -> None:
        super().__init__("sentence_transformers")
        self.opened: list[tuple[str, bool]] = []
        library = self

        class CrossEncoder:
            def __init__(self, name: str, *, local_files_only: bool) -> None:
                if "missing" in name:
                    raise OSError("no such model")
                library.opened.append((name, local_files_only))

            def predict(self, pairs: list[tuple[str, str]], **options: Any) -> Any:
                assert options["activation_fn"](1.5) == 1.5
                scores = np.array([float(len(text)) for _, text in pairs], dtype=np.float32)
                return scores if outputs == 1 else np.stack([scores] * outputs, axis=1)

        self.CrossEncoder = CrossEncoder


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library()
    monkeypatch.setitem(sys.modules, "sentence_transformers", made)
    return made


def test_it_is_opened_once_at_first_use(library: Library) -> None:
    model = CrossEncoderModel("org/model", offline=True)
    assert model([]).shape == (0,)
    assert library.opened == []
    scores = model([("q", "ab"), ("q", "abcd")])
    assert scores.dtype == np.float64
    assert scores.tolist() == [2.0, 4.0]
    model([("q", "a")])
    assert library.opened == [("org/model", True)]


def test_a_model_that_is_not_there_is_named(library: Library) -> None:
    with pytest.raises(WeightsError, match="org/missing") as caught:
        CrossEncoderModel("org/missing")([("q", "a")])
    assert caught.value.hint


def test_a_model_with_several_outputs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", Library(outputs=3))
    with pytest.raises(WeightsError, match="shape"):
        CrossEncoderModel("org/nli")([("q", "a"), ("q", "b")])


def test_without_its_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match="sentence-transformers"):
        CrossEncoderModel("org/model")
