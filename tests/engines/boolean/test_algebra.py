"""The engine against set algebra over records that are read one by one."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines.boolean.plain import Plain
from tests.engines.boolean.test_parsing import chains, dates

from leafward.engines.boolean import BooleanEngine, Chain, Field, Node, Operator, Term, render
from leafward.types import Document, MetaValue

WORDS = st.sampled_from(["aspirin", "aspirins", "stroke", "Risk", "the", "of", "IL-2", "naïve"])
TEXTS = st.lists(WORDS, max_size=5).map(" ".join)
HEADINGS = ["Stroke", "Stroke, Lacunar", "Aspirin"]
NAMES = ["Smith, J A", "Smith, J", "Li, X", "van der Berg, B", "Smith-Jones, A"]


def several(values: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


METADATA: st.SearchStrategy[dict[str, MetaValue]] = st.fixed_dictionaries(
    {
        "mesh": several(HEADINGS),
        "keywords": several(["risk of stroke", "aspirin"]),
        "publication_types": several(["Review", "Journal Article"]),
        "authors": several(NAMES),
        "journal": st.sampled_from(["", "Stroke", "Annals of Risk"]),
        "language": st.sampled_from(["", "eng"]),
        "year": st.sampled_from(["", "1999", "2005", "2010"]),
    }
)
CORPORA = st.lists(st.tuples(TEXTS, TEXTS, METADATA), max_size=8).map(
    lambda rows: [
        Document(str(100 + n), text, title, metadata)
        for n, (title, text, metadata) in enumerate(rows)
    ]
)

_ASKED = st.lists(
    st.sampled_from(["aspirin", "aspi*", "Stroke", "risk", "the", "IL-2", "naive*", "absent"]),
    min_size=1,
    max_size=3,
).map(" ".join)
_FREE = [None, *(field for field in Field if not field.exact and field is not Field.DATE)]
_WHOLE = [
    *((text, Field.MESH) for text in (*HEADINGS, "stroke lacunar", "strok*", "Lacunar")),
    *((text, Field.AUTHOR) for text in ("Smith", "smith j", "Smith JA", "smit*", "li x", "berg b")),
    *((text, Field.JOURNAL) for text in ("stroke", "Annals of risk", "anna*")),
    *((text, Field.TYPE) for text in ("review", "journal article", "article")),
    *((text, Field.LANGUAGE) for text in ("eng", "ENG")),
    *((text, Field.ID) for text in ("100", "101 103", "9")),
]
LEAVES: st.SearchStrategy[Node] = (
    st.builds(Term, _ASKED, st.booleans(), st.sampled_from(_FREE))
    | st.builds(
        lambda whole, quoted: Term(whole[0], quoted, whole[1]),
        st.sampled_from(_WHOLE),
        st.booleans(),
    )
    | dates()
)
TREES = st.recursive(LEAVES, chains, max_leaves=6)


@settings(max_examples=15)
@given(documents=CORPORA, trees=st.lists(TREES, min_size=1, max_size=12))
def test_engine_and_plain_reading_agree(documents: list[Document], trees: list[Node]) -> None:
    plain = Plain(documents)
    with tempfile.TemporaryDirectory() as folder:
        BooleanEngine.build(Path(folder) / "x", documents)
        engine = BooleanEngine.open(Path(folder) / "x")
        for tree in trees:
            expected = plain.evaluate(tree)
            for order in ("date", "relevance"):
                found = engine.find(render(tree), k=100, order=order)
                assert {hit.doc_id for hit in found.hits} == expected
                assert found.total == len(found.hits) == len(expected)


def test_neighbouring_operators_are_taken_from_the_left(tmp_path: Path) -> None:
    """Every chain of four operators over documents that hold every subset of five words."""
    words = ["aa", "bb", "cc", "dd", "ee"]
    subsets = [[w for n, w in enumerate(words) if mask >> n & 1] for mask in range(32)]
    documents = [Document(f"d{n}", " ".join(subset)) for n, subset in enumerate(subsets)]
    BooleanEngine.build(tmp_path / "x", documents)
    engine = BooleanEngine.open(tmp_path / "x")
    plain = Plain(documents)
    operators = list(Operator)
    for code in range(3**4):
        chosen = [operators[code // 3**n % 3] for n in range(4)]
        rest = tuple((op, Term(word)) for op, word in zip(chosen, words[1:], strict=True))
        tree = Chain(Term("aa"), rest)
        found = {hit.doc_id for hit in engine.find(render(tree), k=32).hits}
        assert found == plain.evaluate(tree), render(tree)
