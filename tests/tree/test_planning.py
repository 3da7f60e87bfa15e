from __future__ import annotations

import pytest
from tests.tree.fakes import FakeChat, FakeEmbedder, corpus, sensible

from leafward.errors import SettingsError
from leafward.settings import BuildSettings, Strategy
from leafward.tree import build_tree, plan
from leafward.tree.hybrid import shares_sources, source_groups
from leafward.types import Document


def test_a_plan_asks_nothing_and_adds_up() -> None:
    chat = FakeChat(sensible)
    found = plan(corpus(200), BuildSettings(), chat=chat)
    assert chat.asked == []
    assert found.strategy == "top-down"
    assert [stage.name for stage in found.stages] == ["summaries", "clustering", "describing"]
    assert found.calls == sum(stage.calls for stage in found.stages)
    assert found.stages[0].calls == 10
    assert found.prompt_tokens > found.stages[0].prompt_tokens > 0
    assert found.completion_tokens > 0


@pytest.mark.parametrize("strategy", ["top-down", "bottom-up", "hybrid"])
async def test_calls_of_small_builds(strategy: Strategy) -> None:
    documents = corpus(150, sources=40)
    settings = BuildSettings(strategy=strategy, branching=8)
    expected = plan(documents, settings, chat=FakeChat(sensible))
    chat = FakeChat(sensible)
    await build_tree(documents, settings, chat=chat, embedder=FakeEmbedder())
    assert expected.calls == pytest.approx(len(chat.asked), rel=0.3)


def test_small_and_free_plans() -> None:
    settings = BuildSettings()
    assert plan([], settings, chat=None).calls == 0
    assert plan(corpus(50), settings, chat=None).strategy == "model-free"
    assert plan(corpus(16), settings, chat=FakeChat(sensible)).calls == 1
    with pytest.raises(SettingsError):
        plan(corpus(3), BuildSettings(strategy="hybrid"), chat=None)


def test_large_corpora_are_sampled() -> None:
    half, whole = corpus(3_000), corpus(6_000)
    chat = FakeChat(sensible)
    one, two = (plan(documents, BuildSettings(), chat=chat) for documents in (half, whole))
    assert two.stages[0].calls == pytest.approx(2 * one.stages[0].calls, rel=0.02)
    assert one.stages[0].calls == pytest.approx(150, rel=0.02)


def test_equal_documents_are_planned_once() -> None:
    documents = [Document(f"d{n}", "same") for n in range(100)]
    assert plan(documents, BuildSettings(), chat=FakeChat(sensible)).stages[0].calls == 1


def test_source_groups() -> None:
    documents = corpus(20, sources=3)
    groups = [group.tolist() for group in source_groups(documents, 4)]
    assert groups[:2] == [[0, 3, 6, 9], [12, 15, 18]]
    assert sorted(i for group in groups for i in group) == list(range(20))
    shuffled = [
        Document("b", "t", "", {"source": "s", "position": 2}),
        Document("a", "t", "", {"source": "s", "position": 1}),
        Document("c", "t"),
    ]
    assert [group.tolist() for group in source_groups(shuffled, 4)] == [[1, 0], [2]]
    assert shares_sources(shuffled)
    assert not shares_sources(shuffled[1:])
