"""Small corpora of the acceptance tests: real where the data sets are, synthetic elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tests.conftest import DATA

from leafward.corpus import read_corpus, read_qrels, read_queries
from leafward.testing import Oracle, Rule, rules
from leafward.types import Document, Qrel, Query

_WORDS = 30

_SUBJECTS = (
    *("cells", "taxes", "stars", "music", "rivers", "bread", "engines", "law", "birds", "chess"),
    *("glass", "wine", "soil", "ships", "maps", "salt", "clocks", "wool", "bridges", "opera"),
)
_ASPECTS = (
    *("growth", "history", "measurement", "failure", "trade", "repair", "theory", "teaching"),
    *("weather", "colour", "pressure", "origin"),
)


@dataclass(frozen=True)
class Sample:
    """Documents with queries of which each has a relevant document among them."""

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    qrels: tuple[Qrel, ...]

    def relevant(self, query: Query) -> frozenset[str]:
        """Ids of the documents that answer a query."""
        return frozenset(qrel.doc_id for qrel in self.qrels if qrel.query_id == query.id)

    def oracle(self) -> Oracle:
        """Truth for judge rules; learn an index's tree to judge its inner nodes too."""
        return Oracle(self.documents, self.queries, self.qrels)


def building_rules(*judges: Rule) -> list[Rule]:
    """Answers to everything that a build asks, and to a search by these judges."""
    return [rules.summaries, rules.clusters, rules.describe_group, *judges]


@cache
def sample(size: int, queries: int) -> Sample:
    """So many documents of SciFact, among them those that answer so many of its queries.

    Texts are cut to their beginnings: what is tested does not depend on their length.
    """
    folder = DATA / "scifact"
    found = _real(folder, size, queries) if folder.is_dir() else _synthetic(size, queries)
    documents = tuple(
        replace(
            document,
            text=" ".join(document.text.split()[:_WORDS]),
            metadata={"third": n % 3},
        )
        for n, document in enumerate(found.documents)
    )
    return replace(found, documents=documents)


def _real(folder: Path, size: int, count: int) -> Sample:
    single: dict[str, Qrel] = {}  # one document a query, and one query a document
    for qrel in read_qrels(folder, "test"):
        if qrel.query_id not in single and all(q.doc_id != qrel.doc_id for q in single.values()):
            single[qrel.query_id] = qrel
        if len(single) == count:
            break
    wanted = {qrel.doc_id for qrel in single.values()}
    corpus = read_corpus(folder).documents
    others = [document for document in corpus if document.id not in wanted]
    documents = [document for document in corpus if document.id in wanted]
    documents += others[:: max(1, len(others) // size)][: size - len(documents)]
    queries = {query.id: query for query in read_queries(folder)}
    return Sample(
        "SciFact",
        tuple(sorted(documents, key=lambda document: document.id)),
        tuple(queries[query_id] for query_id in single),
        tuple(single.values()),
    )


def _synthetic(size: int, count: int) -> Sample:
    documents = tuple(
        Document(
            f"{subject}-{aspect}",
            f"What is known of {subject} and {aspect}: how the {aspect} of {subject} was found,"
            f" and why {subject} differ in {aspect} from all others.",
            title=f"{subject.title()} and {aspect}",
        )
        for aspect in _ASPECTS
        for subject in _SUBJECTS
    )[:size]
    asked = documents[:: max(1, size // count)][:count]
    queries = tuple(Query(f"q{n}", f"Which text is {doc.id}?") for n, doc in enumerate(asked))
    qrels = tuple(Qrel(q.id, doc.id, 1) for q, doc in zip(queries, asked, strict=True))
    return Sample("synthetic", documents, queries, qrels)
