"""Small corpora, trees and whole indexes for the store's tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from leafward.protocols import Vectors
from leafward.store import BuildMeta, Draft, Store
from leafward.types import Branch, Document, MetaValue, Tree, Usage, number

BRANCHING = 4
SETTINGS = json.dumps({"branching": BRANCHING})
META = BuildMeta("model-free", "minilm", usage=Usage(calls=3, money=None), details={"probe": 0.5})


def documents(count: int, *, version: str = "") -> list[Document]:
    return [
        Document(f"d{n}", f"text {version} of {n}", f"title {n}", metadata(n)) for n in range(count)
    ]


def metadata(n: int) -> dict[str, MetaValue]:
    values: dict[str, MetaValue] = {"year": 2000 + n % 3, "tags": ("even" if n % 2 else "odd", "x")}
    return values if n % 5 else {**values, "rare": None if n else "only"}


def tree_of(ids: Sequence[str], *, branching: int = BRANCHING) -> Tree:
    """A balanced tree: groups of neighbours, groups of groups, up to the root."""
    level: list[Branch | str] = list(ids)
    while len(level) > branching:
        level = [
            Branch(f"group {n}", f"about {n}", tuple(level[n : n + branching]))
            for n in range(0, len(level), branching)
        ]
    return number(Branch("root", "everything", tuple(level)))


def unit(rows: int, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((rows, 8), dtype=np.float32)
    normed: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return normed


def fill(draft: Draft, tree: Tree, *, seed: int = 0) -> None:
    """Write the derived files of a draft; the lexical index is no more than a file here."""
    np.save(draft.folder / "vectors.npy", unit(len(tree.leaves), seed))
    np.save(draft.folder / "node_vectors.npy", unit(len(tree.nodes), seed + 1))
    (draft.folder / "lexical").mkdir()
    (draft.folder / "lexical" / "meta.json").write_text("{}")


def five(doc_id: str) -> tuple[str, ...]:
    return tuple(f"{doc_id} at level {level}" for level in range(5))


def publish(store: Store, corpus: Sequence[Document], *, fingerprint: str = "f") -> Tree:
    """Build and publish a generation; the even half of the documents has summaries."""
    tree = tree_of([document.id for document in corpus])
    draft = store.begin(corpus, fingerprint=fingerprint, settings=SETTINGS)
    fill(draft, tree)
    summarised = [document.id for document in corpus[::2]]
    store.publish(
        draft,
        tree,
        summaries={doc_id: five(doc_id) for doc_id in summarised},
        extractive=summarised[:1],
        meta=META,
    )
    return tree


def make(path: Path, count: int = 20) -> Tree:
    """A closed index of ``count`` documents."""
    with Store.create(path) as store:
        return publish(store, documents(count))
