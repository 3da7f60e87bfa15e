from __future__ import annotations

import json
import subprocess
import sys
import types
from pathlib import Path

import pytest
from tests.models.fakes import FakeModel, MemoryCache, Reply, Server, chat, error

from leafward.errors import BudgetExceeded, RateLimited, SettingsError
from leafward.models import PROVIDERS, Budget, Meter, Prices, find_prices, open_chat
from leafward.models.capabilities import Capabilities
from leafward.models.openai_chat import OpenAIChat
from leafward.models.providers import find_endpoint
from leafward.protocols import ChatModel
from leafward.settings import BudgetSettings, ModelSettings
from leafward.types import Completion, Message, Sampling, Usage

PROMPT = [Message("user", "hello")]
VARIABLES = [name for provider in PROVIDERS.values() for name in provider.key_variables]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


async def test_the_layers_together(
    server: Server, settings: ModelSettings, cache: MemoryCache
) -> None:
    priced = settings.model_copy(update={"price_prompt": 1.0, "price_completion": 2.0})
    budget, meter = Budget(BudgetSettings(calls=2, tokens=10_000, money=1.0)), Meter()
    server.answers(
        Reply(error("slow"), 429, {"retry-after": "0"}), Reply(error("down"), 500), chat()
    )
    model = open_chat("openai:m", priced, cache=cache, budget=budget, meter=meter)
    answer = await model.complete(PROMPT)
    assert (answer.text, model.name) == ("hello", "openai:m")
    assert len(server.requests) == 3
    assert (await model.complete(PROMPT)).usage == Usage(cache_hits=1)
    assert budget.spent == Usage(1, 20, 0, 4, 28 / 1e6)
    assert meter.total == budget.spent + Usage(cache_hits=1)
    await model.complete([Message("user", "two")])
    with pytest.raises(BudgetExceeded):
        await model.complete([Message("user", "three")])
    assert len(server.requests) == 4
    await model.aclose()


async def test_the_key_is_nowhere_but_in_the_header(
    server: Server, settings: ModelSettings, cache: MemoryCache, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "sk-a-very-secret-key"
    host = server.url.removeprefix("http://")
    keyed = ModelSettings.model_validate(
        settings.model_dump()
        | {"api_key": secret, "base_url": f"http://user:hidden@{host}?token=hidden"}
    )
    caplog.set_level("DEBUG")
    model = open_chat("openai:m", keyed, cache=cache)
    await model.complete(PROMPT)
    server.answers(Reply(error(f"Incorrect API key provided: {secret}"), 401))
    with pytest.raises(Exception, match="401") as caught:
        await model.complete([Message("user", "again")])
    await model.aclose()
    told = [repr(caught.value), str(caught.value.__cause__), str(caught.value.__context__)]
    told += [json.dumps(row, default=str) for row in cache.rows.values()]
    told += [record.getMessage() for record in caplog.records if record.name.startswith("leafward")]
    for text in told:
        assert secret not in text
        assert "hidden" not in text


def test_every_provider_has_its_address_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for prefix, provider in PROVIDERS.items():
        if provider.key_required:
            with pytest.raises(SettingsError) as caught:
                find_endpoint(f"{prefix}:m", ModelSettings())
            assert provider.key_variables[0] in caught.value.hint
            monkeypatch.setenv(provider.key_variables[0], " key-from-environment\n")
        endpoint = find_endpoint(f"{prefix}:org/m:free", ModelSettings())
        assert endpoint.model == "org/m:free"
        assert endpoint.base_url == provider.base_url
        expected = "key-from-environment" if provider.key_required else "none"
        assert endpoint.api_key.get_secret_value() == expected
        assert expected == "none" or expected not in repr(endpoint)


def test_settings_win_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://environment/v1")
    assert find_endpoint("openai:m", ModelSettings()).base_url == "http://environment/v1"
    given = ModelSettings.model_validate({"api_key": "given", "base_url": "http://given/v1"})
    endpoint = find_endpoint("openai:m", given)
    assert (endpoint.base_url, endpoint.api_key.get_secret_value()) == ("http://given/v1", "given")
    assert endpoint.start == Capabilities()


@pytest.mark.parametrize("spec", ["", "gpt-5", "openai:", "nobody:m", ":m"])
def test_a_spec_that_names_no_model(spec: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_chat(spec, ModelSettings())
    assert "openai" in caught.value.hint


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http://", "/v1"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(SettingsError, match="base_url"):
        open_chat("vllm:m", ModelSettings(base_url=url))


def test_a_key_that_cannot_be_sent() -> None:
    with pytest.raises(SettingsError, match="signs"):
        open_chat("openai:m", ModelSettings.model_validate({"api_key": "sk-ключ"}))


def test_prices_are_given_known_free_or_unknown() -> None:
    gemini = "gemini:gemini-2.5-flash"
    assert find_prices(gemini, ModelSettings()) == Prices(0.30, 0.30, 2.50)
    given = ModelSettings(price_prompt=1.0, price_cached=0.1)
    assert find_prices(gemini, given) == Prices(1.0, 0.1, 2.50)
    assert find_prices(gemini, ModelSettings(price_prompt=1.0)) == Prices(1.0, 1.0, 2.50)
    assert find_prices("openai:m", given) is None
    assert find_prices("openai:m", ModelSettings()) is None
    assert find_prices("ollama:m", ModelSettings(), free=True) == Prices(0, 0, 0)
    assert find_prices(gemini + "-lite", ModelSettings()) is None


def test_a_money_budget_needs_prices() -> None:
    budget = Budget(BudgetSettings(money=5.0))
    with pytest.raises(SettingsError, match="openai:m") as caught:
        open_chat("openai:m", ModelSettings(base_url="http://localhost/v1"), budget=budget)
    assert "price_completion" in caught.value.hint
    open_chat("ollama:m", ModelSettings(), budget=budget)


async def test_local_models_get_the_same_layers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: MemoryCache
) -> None:
    inner = FakeModel(RateLimited("busy"), Completion("ok", Usage(1, 5, 0, 1)))
    opened: list[tuple[object, ...]] = []

    def open_local_chat(
        name: str, settings: ModelSettings, *, cache_dir: Path | None, offline: bool
    ) -> ChatModel:
        opened.append((name, cache_dir, offline))
        return inner

    module = types.ModuleType("leafward.models.local")
    module.open_local_chat = open_local_chat  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "leafward.models.local", module)
    budget = Budget(BudgetSettings(money=0.0))
    quick = ModelSettings(retry_wait=0.0)
    model = open_chat(
        "local:small", quick, cache=cache, budget=budget, cache_dir=tmp_path, offline=True
    )
    assert opened == [("small", tmp_path, True)]
    assert (await model.complete(PROMPT)).text == "ok"
    assert (await model.complete(PROMPT)).usage == Usage(cache_hits=1)
    assert (inner.calls, budget.spent.calls, budget.spent.money) == (2, 1, 0.0)
    await model.aclose()
    assert inner.closed


async def test_an_answer_that_never_ends_is_cut_off_at_the_deadline(
    server: Server, settings: ModelSettings
) -> None:
    server.answers(Reply(chat(), fault="stall"))
    short = settings.model_copy(update={"attempt_timeout": 0.2, "total_deadline": 0.5})
    budget = Budget(BudgetSettings())
    model = open_chat("openai:m", short, budget=budget)
    with pytest.raises(Exception, match="no answer in time"):
        await model.complete(PROMPT, sampling=Sampling(max_tokens=7))
    await model.aclose()
    assert budget.spent.calls >= max(1, len(server.requests))
    assert budget.spent.completion_tokens == 7 * budget.spent.calls


def test_opening_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from leafward.models import open_chat, open_embedder\n"
        "from leafward.settings import ModelSettings\n"
        "open_chat('ollama:m', ModelSettings())\n"
        "open_embedder('ollama:m', ModelSettings())\n"
        "heavy = {'openai', 'stamina', 'json_repair', 'onnxruntime', 'xllamacpp'}\n"
        "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_adapter_is_a_chat_model() -> None:
    endpoint = find_endpoint("ollama:m", ModelSettings())
    assert isinstance(OpenAIChat(endpoint, ModelSettings()), ChatModel)
