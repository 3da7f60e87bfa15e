from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from tests.tree.fakes import Answer, FakeChat, FakeEmbedder, by_word, corpus, keywords, sensible
from tests.tree.test_build import assert_sound

from leafward.errors import BudgetExceeded
from leafward.settings import BuildSettings
from leafward.tokens import estimate_tokens
from leafward.tree import Build, build_tree
from leafward.types import Document


async def build(
    answer: Answer, documents: list[Document], *, branching: int = 4, **settings: Any
) -> tuple[Build, FakeChat]:
    chat = FakeChat(answer)
    wanted = {"strategy": "top-down", "branching": branching, "min_clusters": 2} | settings
    made = await build_tree(documents, BuildSettings(**wanted), chat=chat, embedder=FakeEmbedder())
    assert_sound(made, documents, branching)
    return made, chat


def clustering(split: Any) -> Answer:
    """A good model except for its clusters."""

    def answer(kind: str, user: str) -> str:
        if kind != "clusters":
            return sensible(kind, user)
        return json.dumps({"clusters": split(user)})

    return answer


def shares(*parts: float) -> Any:
    """Clusters with these shares of the keywords."""

    def split(user: str) -> list[dict[str, Any]]:
        texts = [text for text, _ in keywords(user)]
        edges = [round(len(texts) * sum(parts[:n])) for n in range(len(parts) + 1)]
        edges[-1] = len(texts)
        return [
            {"name": f"part {n}", "description": f"part {n}", "keywords": texts[lo:hi]}
            for n, (lo, hi) in enumerate(pairwise(edges))
        ]

    return split


async def test_names_and_descriptions_are_the_models() -> None:
    made, chat = await build(clustering(by_word), corpus(30))
    below = [made.tree.nodes[child] for child in made.tree.root.children]
    assert all(node.name.startswith("about ") for node in below)
    assert all(node.description.startswith("things like ") for node in below)
    assert chat.count("describe_group") == 0
    assert made.report.embedding_splits == 0


async def test_nearly_everything_in_one_cluster_is_split_by_embedding() -> None:
    made, chat = await build(clustering(shares(0.95, 0.05)), corpus(60))
    assert made.report.embedding_splits > 0
    # The parts of an embedding split are described by the model, beside their neighbours.
    assert chat.count("describe_group") > 0
    assert any('Neighbouring groups: ["' in user for _, user in chat.asked)


async def test_a_bad_split_is_retried_on_a_more_specific_level() -> None:
    documents = corpus(60)
    _, chat = await build(sensible, documents)
    root = next(user for kind, user in chat.asked if kind == "clusters")
    tokens = sum(estimate_tokens(f"{text} (1)") + 4 for text, _ in keywords(root))

    def stubborn(user: str) -> list[dict[str, Any]]:
        """No split of the whole corpus on its broad levels."""
        broad = " about " not in user and len(keywords(user)) == 60
        return shares(1.0)(user) if broad else by_word(user)

    # Level 5 is one token too long, and level 4 is no shorter: level 3 is asked about first.
    made, chat = await build(clustering(stubborn), documents, cluster_context_tokens=tokens - 1)
    asked = [user for kind, user in chat.asked if kind == "clusters"]
    assert [(" about " in user, " says " in user) for user in asked[:2]] == [
        (False, False),
        (True, False),
    ]
    assert made.report.repairs["retried"] == 1
    assert made.report.embedding_splits == 0


async def test_splits_that_would_grow_too_deep_are_refused() -> None:
    """A tenth and a bit each time: 120 leaves would need some twenty levels."""
    made, _ = await build(clustering(shares(0.12, 0.88)), corpus(120))
    assert made.report.repairs["too deep"] > 0
    assert made.report.embedding_splits > 0


async def test_equal_summaries_leave_it_to_the_embeddings() -> None:
    documents = [Document(f"d{n}", "one text for all") for n in range(30)]
    made, chat = await build(sensible, documents)
    assert chat.count("summaries") == 1
    assert chat.count("clusters") == 0
    assert made.report.embedding_splits > 0


async def test_what_is_too_large_to_read_gets_a_bottom_up_pass() -> None:
    made, chat = await build(sensible, corpus(120), cluster_context_tokens=200)
    assert made.report.coarse_passes >= 1
    assert chat.count("describe_group") >= 30
    assert chat.count("clusters") >= 1


async def test_a_model_that_never_answers_still_gives_a_described_tree() -> None:
    made, _ = await build(lambda kind, user: "no", corpus(50))
    assert len(made.extractive) == 50
    assert made.report.extractive == 50
    assert made.report.repairs["named without model"] > 0
    assert made.report.unusable == made.report.calls


async def test_the_budget_ends_a_build() -> None:
    def broke(kind: str, user: str) -> str:
        if kind == "clusters":
            raise BudgetExceeded("no money left", limit="money")
        return sensible(kind, user)

    with pytest.raises(BudgetExceeded):
        await build(broke, corpus(30))
