"""What the baselines are worth on SciFact, with the packaged embedder."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.data import CACHE, load

from leafward.engines import Bm25Engine, DenseEngine
from leafward.errors import LeafwardError
from leafward.evaluate import Measures
from leafward.evaluate.method import Hybrid
from leafward.library.retrieving.fusing import by_weights
from leafward.models import open_embedder
from leafward.models.registry import find
from leafward.settings import ModelSettings
from leafward.types import Hit, Ranking


@pytest.mark.real_data
@pytest.mark.real_model
def test_hybrid_is_better_than_both_of_its_sources(scifact: Path, tmp_path: Path) -> None:
    if not (CACHE / "scifact.documents.npy").exists():
        pytest.skip("SciFact is not embedded yet: python -m benchmarks.fusion_weights does it")
    try:
        find("minilm")
    except LeafwardError as error:
        pytest.skip(f"{error.message}; {error.hint}")
    collection = load("scifact", "test")
    Bm25Engine.build(tmp_path / "lexical", collection.documents)
    lexical = Bm25Engine.open(tmp_path / "lexical")
    doc_ids = [document.id for document in collection.documents]
    embedder = open_embedder("minilm", ModelSettings())
    vectors = DenseEngine(collection.vectors, doc_ids, embedder)
    method = Hybrid()
    fuse = by_weights(method.weights, adaptive=False)
    runs: dict[str, dict[str, Ranking]] = {"bm25": {}, "dense": {}, "hybrid": {}}
    for query, vector in zip(collection.queries, collection.query_vectors, strict=True):
        words = lexical.rank(query.text, k=method.depth)
        near = vectors.rank_vector(vector, k=method.depth)
        runs["bm25"][query.id], runs["dense"][query.id] = words, near
        runs["hybrid"][query.id] = cut(fuse([words.hits, near.hits]))
    measures = Measures(["nDCG@10", "R@100"])
    found = {
        name: {
            measure: sum(values.values()) / len(values)
            for measure, values in measures.per_query(collection.qrels, run).items()
        }
        for name, run in runs.items()
    }
    assert found["bm25"]["nDCG@10"] >= 0.675
    assert found["bm25"]["R@100"] >= 0.92
    assert found["dense"]["nDCG@10"] >= 0.64
    for measure in ("nDCG@10", "R@100"):
        assert found["hybrid"][measure] > max(found[each][measure] for each in ("bm25", "dense"))


def cut(hits: tuple[Hit, ...]) -> Ranking:
    """The hits that are looked at."""
    return Ranking(hits[:100])
