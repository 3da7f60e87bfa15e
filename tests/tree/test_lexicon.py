from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from leafward.tree.extractive import extractive
from leafward.tree.levels import LEVELS
from leafward.tree.lexicon import Lexicon
from leafward.tree.signposts import Signposts
from leafward.tree.text import clean
from leafward.tree.words import headline
from leafward.types import Document

CELLS = [
    "T cell receptors bind antigens. The T cell receptor signals through kinases.",
    "Regulatory T cells suppress T cell responses to antigens in the gut.",
    "Naive T cells meet antigens in lymph nodes; a T cell then divides.",
]
STARS = [
    "A neutron star is the collapsed core of a massive star. Neutron star mergers emit waves.",
    "Pulsars are neutron stars that rotate; a neutron star emits beams from its poles.",
    "White dwarfs cool slowly while a neutron star cools by neutrinos.",
]
DOCUMENTS = [Document(str(n), text, text.split(".")[0]) for n, text in enumerate(CELLS + STARS)]


def test_group_phrases_set_groups_apart() -> None:
    groups = [np.arange(3), np.arange(3, 6)]
    cells, stars = Lexicon(DOCUMENTS).group_phrases(groups, 5, distinct=True)
    assert cells[0].startswith("t cell")
    assert stars[0].startswith("neutron star")
    assert not set(" ".join(cells).split()) & set(" ".join(stars).split())
    assert len(cells) == len(stars) == 5


def test_phrases_share_no_word() -> None:
    phrases = list(Lexicon(DOCUMENTS).document_phrases(0))
    words = [word.rstrip("s") for phrase in phrases for word in phrase.split()]
    assert len(words) == len(set(words))
    assert "the" not in words


def test_signposts_name_phrases_and_typical_titles() -> None:
    vectors = np.repeat(np.eye(2, dtype=np.float32), 3, axis=0)
    (name, text), (_, other) = Signposts(DOCUMENTS, vectors).describe(
        [np.arange(3), np.arange(3, 6)]
    )
    assert "t cell" in name
    assert "For example: T cell receptors bind antigens" in text
    assert "neutron" in other
    assert "neutron" not in text


def test_extractive_levels_grow_within_their_words() -> None:
    five = extractive(Lexicon(DOCUMENTS), 1, DOCUMENTS[1])
    counts = [len(text.split()) for text in five]
    assert all(1 <= count <= most for count, (_, most) in zip(counts, LEVELS, strict=True))
    assert counts == sorted(counts)
    assert five[4].startswith(five[0])


@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=10)), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_any_text_has_summaries_and_a_signpost(texts: list[tuple[str, str]]) -> None:
    documents = [Document(f"d{n}", text, title) for n, (text, title) in enumerate(texts)]
    lexicon = Lexicon(documents)
    for number, document in enumerate(documents):
        for text in (*extractive(lexicon, number, document), headline(document)):
            assert text.strip()
    vectors = np.eye(len(texts), dtype=np.float32)
    groups = [np.array([number]) for number in range(len(texts))]
    signposts = Signposts(documents, vectors)
    for sign in (*signposts.describe(groups), signposts.describe([np.arange(len(texts))])[0]):
        assert all(part.strip() and part == clean(part) for part in sign)
    assert all(name.strip() for name in signposts.names(groups))
