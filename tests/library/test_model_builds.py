"""The facade with a language model: a scripted server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.library.samples import corpus, settings

import leafward
from leafward.errors import BudgetExceeded
from leafward.settings import SearchSettings
from leafward.testing import Oracle, ScriptedServer, rules
from leafward.types import Qrel, Query

QUERY = Query("q", "what makes dough rise")
QRELS = [Qrel("q", f"bread-{number}", 1) for number in range(3)]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    documents = corpus()
    oracle = Oracle(documents, [QUERY], QRELS)
    script = [
        rules.summaries,
        rules.clusters,
        rules.describe_group,
        rules.oracle_judge(oracle),
    ]
    with ScriptedServer(rules=script) as running:
        yield running


def test_build_and_search_with_a_model(tmp_path: Path, server: ScriptedServer) -> None:
    with leafward.build(
        corpus(),
        tmp_path / "i",
        model="openai:scripted",
        settings=settings(server.base_url, strategy="top-down"),
    ) as index:
        report = index.report
        assert report is not None
        assert report.strategy == "top-down"
        assert report.usage.calls > 0
        assert report.plan is not None
        assert report.plan.plan.calls > 0
        assert index.meta.model == "openai:scripted"
        assert all(len(index.summaries(doc_id)) == 5 for doc_id in index.tree.leaves)
        asked = server.stats().requests
        first = index.search(QUERY.text, k=5)
        assert first.usage.calls == server.stats().requests - asked
        assert any(reason for reason in first.hits[0].reasons)
        assert not first.degraded
    assert leafward.verify(tmp_path / "i").ok

    asked = server.stats().requests
    with leafward.open(
        tmp_path / "i", model="openai:scripted", settings=settings(server.base_url)
    ) as again:
        second = again.search(QUERY.text, k=5)
    assert server.stats().requests == asked
    assert second.usage.calls == 0
    assert second.usage.cache_hits > 0
    assert second.hits == first.hits


def test_limits_of_one_search(tmp_path: Path, server: ScriptedServer) -> None:
    with leafward.build(
        corpus(),
        tmp_path / "i",
        model="openai:scripted",
        settings=settings(server.base_url, strategy="bottom-up"),
        probe=False,
    ) as index:
        result = index.search(QUERY.text, search=SearchSettings(max_tokens=8000))
        assert result.stop == "tokens"
        assert result.usage.tokens <= 8000
        assert len(result) > 0


def test_spent_budget_stops_a_build_that_goes_on_with_a_higher_one(
    tmp_path: Path, server: ScriptedServer
) -> None:
    poor = settings(server.base_url, strategy="top-down").model_copy(
        update={"budget": leafward.Settings().budget.model_copy(update={"calls": 2})}
    )
    with pytest.raises(BudgetExceeded) as caught:
        leafward.build(corpus(), tmp_path / "i", model="openai:scripted", settings=poor)
    assert caught.value.hint
    assert server.stats().requests <= 2
    leafward.build(
        corpus(),
        tmp_path / "i",
        model="openai:scripted",
        settings=settings(server.base_url, strategy="top-down"),
    ).close()
    assert server.stats().paid_twice == 0
