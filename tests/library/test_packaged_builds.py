"""Every model-driven build on real titles with a packaged language model, end to end.

The model is far too small to be good at it: what is shown is that whatever it says, the tree is
sound, the index verifies, and the same build again asks nothing.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import leafward
from leafward.corpus import read_corpus
from leafward.errors import LeafwardError
from leafward.models.registry import find
from leafward.settings import BuildSettings, ModelSettings, Settings, Strategy
from leafward.types import Document, depth_limit, tree_problems

BRANCHING = 4
COUNT = 5  # one more than a node holds: the model has to split or to group


def sample(folder: Path, count: int) -> list[Document]:
    """Real titles, with a source for the hybrid build: three neighbours each."""
    documents = read_corpus(folder).documents[:count]
    return [
        dataclasses.replace(document, metadata={"source": f"s{row // 3}", "position": row % 3})
        for row, document in enumerate(documents)
    ]


def packaged(name: str) -> str:
    try:
        find(name)
    except LeafwardError as error:
        pytest.skip(f"{error.message}; {error.hint}")
    return f"local:{name}"


@pytest.mark.real_model
@pytest.mark.real_data
@pytest.mark.parametrize("strategy", ["top-down", "bottom-up", "hybrid"])
@pytest.mark.slow
def test_every_strategy_with_a_packaged_model(
    biology: Path, tmp_path: Path, strategy: Strategy
) -> None:
    model = packaged("smollm2-135m")
    documents = sample(biology, COUNT)
    settings = Settings(
        embedder="lexical",
        build=BuildSettings(
            strategy=strategy, branching=BRANCHING, min_clusters=2, summary_batch=5, concurrency=1
        ),
        models=ModelSettings(context_tokens=1024, attempt_timeout=600, total_deadline=1200),
    )
    with leafward.build(
        documents, tmp_path / "i", model=model, settings=settings, probe=False
    ) as index:
        report, tree = index.report, index.tree
        assert report is not None
        assert report.usage.calls > 0
        assert report.usage.money == 0.0
        assert tree_problems(tree, branching=BRANCHING) == []
        assert sorted(tree.leaves) == sorted(document.id for document in documents)
        assert tree.depth <= depth_limit(COUNT, BRANCHING)
        assert all(len(index.summaries(doc_id)) == 5 for doc_id in tree.leaves)
    assert leafward.verify(tmp_path / "i").ok
    with leafward.build(
        documents, tmp_path / "i", model=model, settings=settings, probe=False, force=True
    ) as again:
        assert again.report is not None
        assert again.report.usage.calls == 0
        assert again.tree == tree
