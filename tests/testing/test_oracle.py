"""The oracle recognises what a slate shows, whole or cut short."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafward.corpus import read_corpus, read_qrels, read_queries
from leafward.testing import Oracle, word_overlap
from leafward.testing.words import plain
from leafward.tokens import cut_tokens
from leafward.types import Branch, Document, Qrel, Query, number

LONG = "The mitochondrion makes most of the chemical energy that a cell needs to live and grow."
DOCUMENTS = [
    Document("d1", LONG, "Mitochondria"),
    Document("d2", LONG.replace("live", "thrive"), "Chondriosomes"),
    Document("d3", "Cell"),
    Document("d4", "Cell membrane"),
]
QUERIES = [Query("q1", "Where does energy come from?"), Query("q2", "What encloses a cell?")]
QRELS = [Qrel("q1", "d1", 2), Qrel("q1", "d3", 1), Qrel("q1", "d4", 0), Qrel("q2", "d4", 1)]


@pytest.fixture
def oracle() -> Oracle:
    return Oracle(DOCUMENTS, QUERIES, QRELS)


@pytest.mark.parametrize(
    ("candidate", "members"),
    [
        (f"Mitochondria\n{LONG}", {"d1"}),
        (f"Mitochondria: {LONG}", {"d1"}),
        ("Mitochondria. The mitochondrion makes most of…", {"d1"}),
        (LONG, {"d1"}),
        (LONG[:60] + "…", {"d1", "d2"}),
        ("mitochondria", {"d1"}),
        ("Cell", {"d3"}),
        ("Cell membrane", {"d4"}),
        ("Cell…", {"d3"}),
        ("Cell mem…", {"d4"}),
        ("Cell walls", None),
        ("", None),
        ("…", None),
        (LONG[:30], None),
    ],
)
def test_leaves_are_told_by_their_beginning(
    oracle: Oracle, candidate: str, members: set[str] | None
) -> None:
    assert oracle.members(candidate) == members


def test_grades_are_shares_of_the_best(oracle: Oracle) -> None:
    query = "where does ENERGY come from"
    assert [oracle(query, text) for text in (LONG, "Cell", "Cell membrane")] == [1.0, 0.5, 0.0]
    assert oracle(QUERIES[1].text, "Cell membrane") == 1.0
    assert oracle("never asked", "Cell") == oracle(query, "never seen") == 0.0


def test_inner_nodes_are_as_good_as_their_best_leaf(oracle: Oracle) -> None:
    energy = Branch("Energy", "How cells get energy", ("d1", "d2"))
    parts = Branch("Parts", "What cells are made of", ("d3", "d4"))
    oracle.learn(number(Branch("All", "Everything", (energy, parts))))
    query = QUERIES[0].text
    assert oracle(query, "Energy: How cells get energy") == 1.0
    assert oracle(query, "How cells get energy") == 1.0
    assert oracle(query, "Parts — What cells are made…") == 0.5
    assert oracle(QUERIES[1].text, "Energy") == 0.0
    oracle.learn(number(Branch("All", "Everything", ("d1",))))
    assert oracle(query, "Parts") == 0.0


def test_what_is_unknown_can_be_guessed_by_words() -> None:
    oracle = Oracle(DOCUMENTS, QUERIES, QRELS, unknown=word_overlap)
    assert oracle("cell energy", "all about energy") == 0.5
    assert oracle(QUERIES[0].text, "Cell membrane") == 0.0


def test_a_query_cut_short_is_the_query() -> None:
    long = Query("q", "Which of the many parts of a living cell makes the energy that it needs?")
    other = Query("r", "Which of the many parts of a dead cell decay first?")
    oracle = Oracle(DOCUMENTS, [long, other], [Qrel("q", "d1", 1)])
    assert oracle(long.text[:40], LONG) == 1.0
    assert oracle(long.text[:26], LONG) == 0.0  # both begin so
    assert oracle(other.text[:40], LONG) == 0.0
    assert Oracle(DOCUMENTS, [long], [Qrel("q", "d1", 1)])(long.text[:10], LONG) == 0.0


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_get_a_relevance(query: str, candidate: str) -> None:
    oracle = Oracle(DOCUMENTS, QUERIES, QRELS, unknown=word_overlap)
    assert 0.0 <= oracle(query, candidate) <= 1.0


@pytest.fixture(scope="module")
def scifact_documents(scifact: Path) -> tuple[Document, ...]:
    return read_corpus(scifact).documents


@pytest.fixture(scope="module")
def scifact_oracle(scifact: Path, scifact_documents: tuple[Document, ...]) -> Oracle:
    return Oracle(scifact_documents, read_queries(scifact), read_qrels(scifact, "test"))


@pytest.mark.real_data
@pytest.mark.parametrize("tokens", [30, 400])
def test_scifact_documents_are_told_from_each_other(
    scifact_documents: tuple[Document, ...], scifact_oracle: Oracle, tokens: int
) -> None:
    for document in scifact_documents[::29]:
        shown = cut_tokens(document.full_text, tokens)
        assert scifact_oracle.members(shown) == frozenset({document.id})


@pytest.mark.real_data
def test_scifact_grades_are_the_qrels(
    scifact: Path, scifact_documents: tuple[Document, ...], scifact_oracle: Oracle
) -> None:
    texts = {document.id: document.full_text for document in scifact_documents}
    queries = {query.id: query.text for query in read_queries(scifact)}
    for qrel in read_qrels(scifact, "test"):
        assert scifact_oracle(queries[qrel.query_id], texts[qrel.doc_id]) == 1.0


@pytest.mark.real_data
def test_every_short_title_is_told_from_the_others(biology: Path) -> None:
    documents = read_corpus(biology).documents
    oracle = Oracle(documents, [], [])
    texts = {document.id: document.full_text for document in documents}
    for document in documents[::11]:
        members = oracle.members(document.full_text)
        assert members is not None and document.id in members
        told = {plain(texts[member]) for member in members}
        assert told == {plain(document.full_text)}
