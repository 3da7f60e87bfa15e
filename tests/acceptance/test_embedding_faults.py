"""Must show 8 for embeddings: a provider's faults end in the same vectors or in an error."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.samples import sample
from tests.acceptance.serving import idle, settings

import leafward
from leafward.errors import BudgetExceeded, IndexNotFound, ModelUnavailable
from leafward.store import Store
from leafward.testing import Fault, Inject, ScriptedServer
from leafward.types import SearchResult, Tree

SAMPLE = sample(40, 2)
ON_WIRE = [fault for fault in Fault if fault.on_wire]
HARMLESS = {Fault.NO_USAGE, Fault.INVALID_UTF8}  # INVALID_UTF8 spoils words, and there are none


async def build(server: ScriptedServer, path: Path, **sections: Any) -> tuple[Tree, SearchResult]:
    models = {"attempt_timeout": 1.0} | sections.pop("models", {})
    given = settings(server.base_url, models=models, build={"strategy": "auto"}, **sections)
    given = given.model_copy(update={"model": None, "embedder": "openai:vectors"})
    async with await leafward.abuild(SAMPLE.documents, path, settings=given) as index:
        return index.tree, await index.asearch(SAMPLE.queries[0].text)


def stored(path: Path) -> int:
    with Store.open(path) as store:
        return sum(entry.answers for entry in store.calls.stats())


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    with ScriptedServer() as server:
        return asyncio.run(build(server, tmp_path_factory.mktemp("truth") / "i"))[0]


@pytest.mark.parametrize("fault", ON_WIRE, ids=lambda fault: fault.value)
async def test_every_fault_ends_in_the_same_tree_or_an_error(
    fault: Fault, truth: Tree, tmp_path: Path
) -> None:
    limited = fault in (Fault.RATE_LIMITED, Fault.RATE_LIMITED_UNTIL)
    wait = 0.01 if limited else None
    once = Inject(fault, first_attempt_only=True, retry_after=wait, stall=20.0)
    async with ScriptedServer(faults=[once]) as server:
        tree, result = await build(server, tmp_path / "a")
        assert tree == truth
        assert result.hits
        assert idle(server).faults[fault.value] > 0

        server.change(faults=[Inject(fault, retry_after=wait, stall=20.0)])
        if fault in HARMLESS:
            assert (await build(server, tmp_path / "b"))[0] == truth
            return
        with pytest.raises(ModelUnavailable) as down:
            await build(server, tmp_path / "b", models={"total_deadline": 0.25})
        assert down.value.hint
        with pytest.raises(IndexNotFound):
            leafward.open(tmp_path / "b")
        server.change(faults=[])
        assert (await build(server, tmp_path / "b"))[0] == truth
        assert stored(tmp_path / "b") >= len(SAMPLE.documents)


async def test_a_budget_holds_for_embeddings(truth: Tree, tmp_path: Path) -> None:
    async with ScriptedServer() as server:
        with pytest.raises(BudgetExceeded) as stopped:
            await build(server, tmp_path / "i", budget={"tokens": 500})
        assert "budget.tokens" in stopped.value.hint
        assert idle(server).tokens <= 500
        assert (await build(server, tmp_path / "i"))[0] == truth
