"""Real data sets, trees and vectors that the benchmarks share; vectors are kept between runs."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leafward.corpus import read_corpus, read_qrels, read_queries
from leafward.models import open_embedder
from leafward.protocols import Embedder, Vectors
from leafward.settings import BuildSettings, ModelSettings
from leafward.tree import build_tree
from leafward.types import Document, Query, Tree

CACHE = Path(__file__).parent / ".cache"
DATA = Path(os.environ.get("LEAFWARD_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


@dataclass(frozen=True, slots=True)
class Collection:
    """A test collection with MiniLM vectors of documents and queries, in their order."""

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    qrels: Mapping[str, Mapping[str, int]]
    vectors: Vectors
    query_vectors: Vectors


def load(name: str, split: str, *, limit: int | None = None, seed: int = 0) -> Collection:
    """Read a BEIR folder; ``limit`` draws that many judged queries with a seed."""
    folder = DATA / name
    corpus = read_corpus(folder)
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for qrel in read_qrels(folder, split):
        qrels[qrel.query_id][qrel.doc_id] = qrel.relevance
    queries = [query for query in read_queries(folder) if query.id in qrels]
    if limit is not None and limit < len(queries):
        rows = np.random.default_rng(seed).choice(len(queries), limit, replace=False)
        queries = [queries[row] for row in sorted(rows)]
    embedder = open_embedder("minilm", ModelSettings())
    documents = _embedded(f"{name}.documents", embedder, [d.full_text for d in corpus.documents])
    asked = embedder.embed([query.text for query in queries], role="query")
    return Collection(name, corpus.documents, tuple(queries), qrels, documents, asked)


def model_free_tree(collection: Collection, *, branching: int = 16) -> Tree:
    """The zero-key tree of a collection, from its vectors."""
    build = asyncio.run(
        build_tree(
            collection.documents,
            BuildSettings(strategy="model-free", branching=branching),
            chat=None,
            embedder=open_embedder("minilm", ModelSettings()),
            vectors=collection.vectors,
        )
    )
    return build.tree


def _embedded(name: str, embedder: Embedder, texts: list[str]) -> Vectors:
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"{name}.npy"
    if not path.exists():
        np.save(path, embedder.embed(texts, role="document"), allow_pickle=False)
    vectors: Vectors = np.load(path, allow_pickle=False)
    if len(vectors) != len(texts):
        raise SystemExit(f"{path} is of another corpus: delete it and run this again")
    return vectors
