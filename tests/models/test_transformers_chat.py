"""A checkpoint as a chat model, opened by its path."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from tests.models.fakes import MemoryCache
from tests.training.tiny import make_checkpoint, needs_torch

from leafward.errors import ModelRejected, WeightsError
from leafward.models import open_chat
from leafward.models.causal.sources import parse_source
from leafward.models.transformers_chat import open_transformers_chat
from leafward.settings import ModelSettings
from leafward.types import Message, Sampling

pytestmark = needs_torch

ASK = [Message("user", "hello")]
SETTINGS = ModelSettings(threads=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("prefix", ["checkpoint:", ""])
async def test_a_path_is_a_chat_model(folder: Path, prefix: str) -> None:
    chat = open_chat(f"{prefix}{folder}", SETTINGS)
    answer = await chat.complete(ASK, sampling=Sampling(max_tokens=5))
    assert chat.name == f"{prefix}{folder}"
    assert answer.finish_reason == "length"
    assert (answer.usage.calls, answer.usage.completion_tokens) == (1, 5)
    assert answer.usage.prompt_tokens > 20
    sign = answer.text[1]
    shorter = await chat.complete(ASK, sampling=Sampling(max_tokens=5, stop=(sign,)))
    assert (shorter.finish_reason, shorter.text) == ("stop", answer.text.partition(sign)[0])
    await chat.aclose()


async def test_answers_of_the_state_before_training_on_are_not_reused(folder: Path) -> None:
    cache = MemoryCache()

    async def hits() -> int:
        chat = open_chat(str(folder), SETTINGS, cache=cache)
        answer = await chat.complete(ASK, sampling=Sampling(max_tokens=2))
        await chat.aclose()
        return answer.usage.cache_hits

    assert [await hits(), await hits()] == [0, 1]
    os.utime(folder / "model.safetensors", ns=(1, 1))
    assert await hits() == 0


async def test_a_prompt_beyond_the_context_is_the_requests_fault(folder: Path) -> None:
    chat = open_transformers_chat(str(folder), ModelSettings(context_tokens=512, threads=1))
    with pytest.raises(ModelRejected, match="reads 512") as raised:
        await chat.complete([Message("user", "x" * 600)])
    assert raised.value.of_request
    fits = await chat.complete([Message("user", "x" * 450)], sampling=Sampling(max_tokens=500))
    assert fits.usage.prompt_tokens + fits.usage.completion_tokens == 512
    chat.close()
    with pytest.raises(ModelRejected, match="closed"):
        await chat.complete(ASK)


async def test_a_cancelled_call_does_not_hold_up_the_next(folder: Path) -> None:
    chat = open_transformers_chat(str(folder), SETTINGS)
    call = asyncio.ensure_future(chat.complete(ASK, sampling=Sampling(max_tokens=4000)))
    await asyncio.sleep(0.05)
    call.cancel()
    answer = await chat.complete(ASK, sampling=Sampling(max_tokens=2))
    assert answer.usage.completion_tokens == 2
    chat.close()


def test_a_folder_without_weights_and_a_name_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"no config\.json"):
        open_chat(f"checkpoint:{tmp_path}", SETTINGS)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(WeightsError, match="cannot load") as raised:
        open_chat(str(tmp_path), SETTINGS)
    assert "tokenizer" in raised.value.hint


def test_sources_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").touch()

    def place(spec: str) -> tuple[str, str]:
        found = parse_source(spec, cache_dir=tmp_path, offline=True, announce=print)
        return found.place, found.gguf

    assert place("hub:Qwen/Qwen2.5-3B-Instruct") == ("Qwen/Qwen2.5-3B-Instruct", "")
    assert place(f"local:{tmp_path}/m.gguf") == (str(tmp_path), "m.gguf")
    with pytest.raises(WeightsError, match="is missing"):
        place(f"local:{tmp_path}/n.gguf")
