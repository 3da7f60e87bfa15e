from __future__ import annotations

import numpy as np

from leafward.library.reader import MemoryDocuments, TreeReader
from leafward.types import Branch, Document, number

TREE = number(
    Branch("root", "", (Branch("A", "about a", tuple("abcd")), Branch("B", "", tuple("ef"))))
)
DOCUMENTS = [Document(letter, f"text {letter}", title=letter.upper()) for letter in "fedcba"]
SUMMARIES = {letter: ("1", "2", f"topic of {letter}", "4", "5") for letter in "abc"}
SOURCE = MemoryDocuments(TREE, DOCUMENTS, SUMMARIES)


def test_texts_of_nodes_and_leaves_in_order() -> None:
    reader = TreeReader(TREE, SOURCE)
    leaf = TREE.leaf_id(TREE.position_of("b"))
    assert reader.texts([2, leaf, 1]) == ["B", "B\ntext b", "A: about a"]
    assert reader.titles([leaf]) == ["B"]


def test_a_node_that_lost_most_of_its_leaves_is_described_by_what_is_left() -> None:
    live = np.array([True, False, False, True, True, True])
    stale = TreeReader(TREE, SOURCE, live=live, live_share=0.5).texts([1])
    fresh = TreeReader(TREE, SOURCE, live=live, live_share=0.6).texts([1])
    assert stale == ["A: about a"]
    assert fresh == ["A group of 2 documents on: topic of a; D"]


def test_live_description_is_bounded() -> None:
    letters = [f"x{number}" for number in range(100)]
    tree = number(Branch("root", "", (Branch("A", "", tuple(letters)),)))
    documents = [Document(letter, letter, title=letter) for letter in letters]
    live = np.arange(100) < 40
    (text,) = TreeReader(tree, MemoryDocuments(tree, documents, {}), live=live).texts([1])
    assert text.count(";") == 11
    assert "x0" in text
    assert "x39" in text
