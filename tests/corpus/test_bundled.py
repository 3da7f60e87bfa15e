from __future__ import annotations

import sys
from collections import Counter

import pytest

from leafward.corpus import language_reference
from leafward.errors import CorpusError
from leafward.tokens import estimate_tokens


def test_it_is_a_corpus_of_passages_with_their_places() -> None:
    documents = language_reference().documents
    assert 200 < len(documents) < 1000
    assert len({document.id for document in documents}) == len(documents)
    for document in documents:
        assert document.text.strip()
        assert document.title
        assert document.id == f"{document.source}#{document.position}"
    sources = Counter(document.source for document in documents)
    assert sources["python/compound"] > 20


def test_passages_are_short_and_their_words_are_the_reference() -> None:
    documents = language_reference(chunk_tokens=120).documents
    assert max(estimate_tokens(document.text) for document in documents) <= 120
    whole = " ".join(" ".join(document.full_text for document in documents).split())
    for phrase in ("Assert statements are a convenient way", "The simple form", "__slots__"):
        assert phrase in whole


def test_shared_sections_stand_once() -> None:
    texts = Counter(document.text for document in language_reference().documents)
    repeated = [text for text, count in texts.items() if count > 1 and len(text) > 400]
    assert not repeated
    titles = Counter(document.title for document in language_reference().documents)
    assert 1 <= titles["The with statement"] <= 4


def test_it_is_the_same_every_time() -> None:
    assert language_reference() == language_reference()


def test_a_python_without_help_texts_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(CorpusError, match="pydoc_data") as caught:
        language_reference()
    assert caught.value.hint
