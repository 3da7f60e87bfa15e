from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.corpus import read_corpus, split_text
from leafward.tokens import estimate_tokens

WORD = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=12)
GAP = st.sampled_from([" ", " ", " ", "\n", "\n\n", ". ", ".\n", "\t", "\n  \n\n", "\r\n", "! "])
TEXT = st.lists(st.tuples(WORD, GAP), max_size=150).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)


@given(TEXT, st.integers(1, 60))
def test_no_word_is_lost_or_cut(text: str, limit: int) -> None:
    passages = split_text(text, limit)
    assert [word for passage in passages for word in passage.split()] == text.split()
    assert all(passage.strip() for passage in passages)


@given(TEXT, st.integers(1, 60))
def test_only_a_long_word_exceeds_the_limit(text: str, limit: int) -> None:
    for passage in split_text(text, limit):
        assert estimate_tokens(passage) <= limit or len(passage.split()) == 1


@given(st.text(max_size=400), st.integers(1, 40))
def test_any_text_keeps_its_characters(text: str, limit: int) -> None:
    joined = "".join("".join(split_text(text, limit)).split())
    assert joined == "".join(text.split())


def test_paragraphs_stay_whole_where_they_fit() -> None:
    paragraphs = [f"Paragraph {name} has exactly eight words in it." for name in "abcd"]
    limit = 2 * estimate_tokens(paragraphs[0])
    assert split_text("\n\n".join(paragraphs), limit) == [
        "\n\n".join(paragraphs[:2]),
        "\n\n".join(paragraphs[2:]),
    ]


def test_long_paragraphs_are_cut_between_sentences() -> None:
    sentences = [f"Sentence number {n} is about the matter at hand." for n in range(12)]
    for passage in split_text(" ".join(sentences), 40):
        assert passage.startswith("Sentence")
        assert passage.endswith("hand.")


def test_indentation_and_line_breaks_survive() -> None:
    code = "    if x:\n        return 1\n    return 2"
    assert split_text(f"\n\n{code}\n\n", 300) == [code]


def test_a_scrap_at_the_end_shares_with_its_neighbour() -> None:
    sentences = " ".join(f"Here is sentence {n} of the text." for n in range(9))
    sizes = [estimate_tokens(passage) for passage in split_text(sentences, 80)]
    assert len(sizes) == 2
    assert min(sizes) > 30


def test_text_without_spaces_is_cut_between_its_sentences() -> None:
    sentence = "高地の哺乳類の血液は酸素をよく結びつける。"
    passages = split_text(sentence * 20, 60)
    assert "".join(passages) == sentence * 20
    assert all(estimate_tokens(p) <= 60 and p.endswith("。") for p in passages)


def test_a_giant_word_stands_alone() -> None:
    assert split_text("short " + "A1-" * 500 + " end", 20) == ["short", "A1-" * 500, "end"]


@pytest.mark.real_data
def test_real_texts_keep_their_words(theoremqa: Path) -> None:
    documents = read_corpus(theoremqa).documents
    text = "\n\n".join(document.text for document in documents)
    passages = split_text(text, 200)
    assert " ".join(passages).split() == text.split()
    assert max(map(estimate_tokens, passages)) <= 200
