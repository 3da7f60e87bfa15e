from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tree.fakes import FakeChat, FakeEmbedder, adversary, corpus, sensible

from leafward.errors import CorpusError, SettingsError
from leafward.settings import BuildSettings, Strategy
from leafward.tree import Build, build_tree, choose_strategy
from leafward.types import Document, Tree, tree_problems

STRATEGIES: tuple[Strategy, ...] = ("top-down", "bottom-up", "hybrid", "model-free")


def assert_sound(build: Build, documents: list[Document], branching: int) -> None:
    """Everything that holds of every build, whatever the model said."""
    assert tree_problems(build.tree, branching=branching) == []
    assert sorted(build.tree.leaves) == sorted(document.id for document in documents)
    assert set(build.summaries) == set(build.tree.leaves)
    for five in build.summaries.values():
        assert len(five) == 5
        assert all(text.strip() for text in five)
    if len(documents) > 1:
        assert all(len(node.children) > 1 for node in build.tree.nodes)
    assert all(node.name and node.description for node in build.tree.nodes)
    assert all(
        text.isprintable() for node in build.tree.nodes for text in (node.name, node.description)
    )
    assert build.report.extractive == len(build.extractive)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("count", [1, 2, 4, 5, 17, 70])
async def test_every_strategy_with_a_good_model(strategy: Strategy, count: int) -> None:
    documents = corpus(count, sources=count // 6)
    chat = FakeChat(sensible)
    build = await build_tree(
        documents,
        BuildSettings(strategy=strategy, branching=4, min_clusters=2, concurrency=3),
        chat=chat,
        embedder=FakeEmbedder(),
    )
    assert_sound(build, documents, 4)
    assert build.report.strategy == strategy
    assert chat.most_at_once <= 3
    if strategy == "model-free":
        assert chat.asked == []
        assert len(build.extractive) == count
    else:
        assert build.extractive == frozenset()
        assert build.report.calls == len(chat.asked)
        assert build.report.usage.calls == len(chat.asked)


@given(
    count=st.integers(1, 60),
    branching=st.integers(4, 7),
    strategy=st.sampled_from(STRATEGIES),
    seed=st.integers(0, 10_000),
    context=st.sampled_from([600, 1_500, 3_000, 32_768]),
    alike=st.sampled_from(["different", "same vectors", "same texts"]),
)
@settings(max_examples=40, deadline=None)
async def test_sound_whatever_the_model_answers(
    count: int, branching: int, strategy: Strategy, seed: int, context: int, alike: str
) -> None:
    documents = corpus(count, seed=seed, sources=seed % 7)
    if alike == "same texts":
        documents = [Document(d.id, "same text", "", d.metadata) for d in documents]
    embedder = FakeEmbedder()
    vectors = embedder.embed([d.text for d in documents], role="document")
    if alike == "same vectors":
        vectors = np.repeat(vectors[:1], count, axis=0)
    built = [
        await build_tree(
            documents,
            BuildSettings(
                strategy=strategy, branching=branching, cluster_context_tokens=400, summary_batch=7
            ),
            chat=FakeChat(adversary(seed), context_tokens=context),
            embedder=embedder,
            vectors=vectors,
        )
        for _ in range(2)
    ]
    assert_sound(built[0], documents, branching)
    assert built[0].tree == built[1].tree
    assert built[0].summaries == built[1].summaries
    assert built[0].report == built[1].report


async def test_documents_are_embedded_once_and_in_order() -> None:
    documents = corpus(30)
    embedder = FakeEmbedder()
    build = await build_tree(
        documents, BuildSettings(strategy="top-down"), chat=FakeChat(sensible), embedder=embedder
    )
    assert embedder.texts[:30] == [document.full_text for document in documents]
    assert np.array_equal(build.vectors, FakeEmbedder().embed(embedder.texts[:30], role="document"))


async def test_sources_stay_together_in_a_hybrid_tree() -> None:
    documents = corpus(60, sources=12)  # five passages each, interleaved
    build = await build_tree(
        documents,
        BuildSettings(strategy="hybrid", branching=8, min_clusters=2),
        chat=FakeChat(sensible),
        embedder=FakeEmbedder(),
    )
    source = {document.id: document.source for document in documents}
    groups = _leaf_groups(build.tree)
    assert len(groups) == 12
    assert all(len({source[doc] for doc in group}) == 1 for group in groups)


async def test_a_long_source_is_cut_into_runs_by_position() -> None:
    documents = corpus(60, sources=2)
    build = await build_tree(
        documents,
        BuildSettings(strategy="hybrid", branching=8, min_clusters=2),
        chat=FakeChat(sensible),
        embedder=FakeEmbedder(),
    )
    position = {document.id: document.position for document in documents}
    for group in _leaf_groups(build.tree):
        positions = [position[doc] for doc in group]
        assert positions == list(range(positions[0], positions[-1] + 1, 2))


def _leaf_groups(tree: Tree) -> list[list[str]]:
    return [
        [tree.doc_id(child) for child in node.children]
        for node in tree.nodes
        if all(tree.is_leaf(child) for child in node.children)
    ]


def test_automatic_choice() -> None:
    chat = FakeChat(sensible)
    auto = BuildSettings()
    assert choose_strategy(corpus(20), auto, chat) == "top-down"
    assert choose_strategy(corpus(20, sources=5), auto, chat) == "hybrid"
    assert choose_strategy(corpus(20, sources=20), auto, chat) == "top-down"
    assert choose_strategy(corpus(20, sources=5), auto, None) == "model-free"
    assert choose_strategy(corpus(20), BuildSettings(strategy="bottom-up"), None) == "model-free"


async def test_what_cannot_be_built_says_why() -> None:
    embedder = FakeEmbedder()
    with pytest.raises(SettingsError, match="needs a language model") as model:
        await build_tree(
            corpus(3), BuildSettings(strategy="top-down"), chat=None, embedder=embedder
        )
    assert "--model" in model.value.hint
    with pytest.raises(CorpusError, match="no documents"):
        await build_tree([], BuildSettings(), chat=None, embedder=embedder)
    with pytest.raises(CorpusError, match="'d0'"):
        await build_tree([*corpus(3), *corpus(1)], BuildSettings(), chat=None, embedder=embedder)
    with pytest.raises(SettingsError, match="do not fit 3 documents"):
        await build_tree(
            corpus(3),
            BuildSettings(),
            chat=None,
            embedder=embedder,
            vectors=np.zeros((2, 4), np.float32),
        )
