"""Every strategy over real abstracts, through the real client, against the scripted server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.tree.test_build import assert_sound

from leafward.corpus import read_corpus
from leafward.models import OpenChat, open_chat, open_embedder
from leafward.settings import BuildSettings, ModelSettings, Strategy
from leafward.testing import ScriptedServer, rules
from leafward.tree import Build, Plan, build_tree, plan
from leafward.types import Document, MetaValue

pytestmark = pytest.mark.real_data
RULES = (rules.summaries, rules.clusters, rules.describe_group)
STRATEGIES: tuple[Strategy, ...] = ("top-down", "bottom-up", "hybrid")


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(rules=RULES) as running:
        yield running


@pytest.fixture(scope="module")
def abstracts(scifact: Path) -> list[Document]:
    return list(read_corpus(scifact).documents[:500])


def chat_of(server: ScriptedServer, context_tokens: int = 32_768) -> OpenChat:
    settings = ModelSettings(
        base_url=server.base_url, api_key=SecretStr("none"), context_tokens=context_tokens
    )
    return open_chat("openai:scripted", settings)


def passages(documents: Sequence[Document], count: int) -> list[Document]:
    """Abstracts cut into passages of three sentences that name their abstract as source."""

    def cut() -> Iterator[Document]:
        for document in documents:
            sentences = re.split(r"(?<=[.?!]) ", document.text)
            for position, lo in enumerate(range(0, len(sentences), 3)):
                text = " ".join(sentences[lo : lo + 3])
                metadata: dict[str, MetaValue] = {"source": document.id, "position": position}
                yield Document(f"{document.id}/{position}", text, document.title, metadata)

    return list(islice(cut(), count))


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_builds_as_planned(
    strategy: Strategy, server: ScriptedServer, abstracts: list[Document]
) -> None:
    documents = passages(abstracts, 500) if strategy == "hybrid" else abstracts
    build, expected = await _built(strategy, documents, server)
    assert_sound(build, documents, 16)
    assert build.extractive == frozenset()
    usage = build.report.usage
    assert expected.strategy == build.report.strategy == strategy
    assert expected.calls == pytest.approx(usage.calls, rel=0.3)
    assert expected.prompt_tokens == pytest.approx(usage.prompt_tokens, rel=0.3)
    assert expected.completion_tokens == pytest.approx(usage.completion_tokens, rel=0.3)


async def test_a_short_context_is_planned_as_well(
    server: ScriptedServer, abstracts: list[Document]
) -> None:
    """With 4,096 tokens the corpus is too large to read from the top: one bottom-up pass first."""
    build, expected = await _built("top-down", abstracts, server, context_tokens=4_096)
    assert_sound(build, abstracts, 16)
    assert build.report.coarse_passes == 1
    usage = build.report.usage
    assert expected.calls == pytest.approx(usage.calls, rel=0.3)
    assert expected.prompt_tokens + expected.completion_tokens == pytest.approx(
        usage.tokens, rel=0.3
    )


async def _built(
    strategy: Strategy,
    documents: Sequence[Document],
    server: ScriptedServer,
    context_tokens: int = 32_768,
) -> tuple[Build, Plan]:
    settings = BuildSettings(strategy=strategy)
    chat = chat_of(server, context_tokens)
    try:
        expected = plan(documents, settings, chat=chat)
        embedder = open_embedder("lexical", ModelSettings())
        build = await build_tree(documents, settings, chat=chat, embedder=embedder)
    finally:
        await chat.aclose()
    print(strategy, expected, build.report)
    return build, expected


async def test_model_free_costs_nothing(abstracts: list[Document]) -> None:
    settings = BuildSettings()
    embedder = open_embedder("lexical", ModelSettings())
    build = await build_tree(abstracts, settings, chat=None, embedder=embedder)
    expected = plan(abstracts, settings, chat=None)
    assert_sound(build, abstracts, 16)
    assert (expected.strategy, expected.calls) == ("model-free", 0)
    assert build.report.usage.calls == 0
