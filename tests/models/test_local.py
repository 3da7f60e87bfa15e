"""GGUF models in this process, on SmolLM2's real weights."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from leafward.errors import (
    ModelError,
    ModelRejected,
    ModelUnavailable,
    SettingsError,
    UnusableOutput,
    WeightsError,
)
from leafward.models import llama, local
from leafward.models.local import LocalChat, open_local_chat
from leafward.models.registry import find
from leafward.protocols import ChatModel
from leafward.settings import ModelSettings
from leafward.types import Message, Sampling

SMOL = "smollm2-135m"
ONE_THREAD = ModelSettings(threads=1, context_tokens=1024)
HELLO = (Message("user", "Say hello."),)
SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "people": {"type": "integer"}},
    "required": ["city", "people"],
    "additionalProperties": False,
}


def require(name: str) -> None:
    try:
        find(name)
    except WeightsError as error:
        pytest.skip(f"{error.message}; {error.hint}")


@pytest.fixture(scope="module")
def smol() -> Iterator[LocalChat]:
    require(SMOL)
    with open_local_chat(SMOL, ONE_THREAD, cache_dir=None, offline=True) as chat:
        yield chat


@pytest.mark.real_model
async def test_it_answers_and_counts(smol: LocalChat) -> None:
    chat: ChatModel = smol
    answer = await chat.complete(HELLO, sampling=Sampling(max_tokens=8))
    assert chat.name == "local:smollm2-135m"
    assert answer.text
    assert answer.finish_reason in {"stop", "length"}
    assert answer.usage.calls == 1
    assert 10 < answer.usage.prompt_tokens < 60  # the chat template is in it
    assert 1 <= answer.usage.completion_tokens <= 8
    assert answer.usage.money == 0.0


@pytest.mark.real_model
async def test_the_same_ask_gives_the_same_answer_and_reuses_the_prefix(smol: LocalChat) -> None:
    first = await smol.complete(HELLO, sampling=Sampling(max_tokens=12))
    again = await smol.complete(HELLO, sampling=Sampling(max_tokens=12))
    assert again.text == first.text
    assert again.usage.cached_tokens > 0


@pytest.mark.real_model
async def test_a_schema_is_obeyed(smol: LocalChat) -> None:
    answer = await smol.complete(
        [Message("user", "Name a city and its number of inhabitants.")],
        schema=SHAPE,
        sampling=Sampling(max_tokens=80),
    )
    value = json.loads(answer.text)
    assert set(value) == {"city", "people"}
    assert isinstance(value["people"], int)


@pytest.mark.real_model
async def test_a_schema_that_cannot_be_compiled_is_rejected(smol: LocalChat) -> None:
    broken: dict[str, Any] = {"type": "object", "properties": {"n": {"$ref": "#/$defs/none"}}}
    with pytest.raises(ModelRejected) as raised:
        await smol.complete(HELLO, schema=broken)
    assert "schema" in raised.value.hint


@pytest.mark.real_model
async def test_logprobs_are_a_distribution(smol: LocalChat) -> None:
    answer = await smol.complete(HELLO, sampling=Sampling(max_tokens=2, top_logprobs=1000))
    first = answer.logprobs[0]
    assert 50 < len(first.top) <= local.MAX_TOP_LOGPROBS
    assert all(value <= 0 for value in first.top.values())
    assert first.token == max(first.top, key=lambda token: first.top[token])
    assert first.logprob == first.top[first.token]


@pytest.mark.real_model
async def test_stop_strings_end_the_answer(smol: LocalChat) -> None:
    free = await smol.complete(HELLO, sampling=Sampling(max_tokens=12))
    word = free.text.split()[2]
    cut = await smol.complete(HELLO, sampling=Sampling(max_tokens=12, stop=(word,)))
    assert cut.text == free.text[: free.text.index(word)]
    assert cut.finish_reason == "stop"


@pytest.mark.real_model
async def test_the_seed_decides_where_the_temperature_leaves_a_choice(smol: LocalChat) -> None:
    async def ask(seed: int) -> str:
        sampling = Sampling(temperature=1.5, max_tokens=12, seed=seed)
        return (await smol.complete(HELLO, sampling=sampling)).text

    texts = [await ask(seed) for seed in (1, 2, 3, 1)]
    assert texts[0] == texts[3]
    assert len(set(texts)) > 1


@pytest.mark.real_model
async def test_a_prompt_beyond_the_context_is_rejected(smol: LocalChat) -> None:
    with pytest.raises(ModelRejected, match="exceeds the available context") as raised:
        await smol.complete([Message("user", "word " * 2000)])
    assert "context_tokens" in raised.value.hint


@pytest.mark.real_model
async def test_a_cancelled_call_makes_room_for_the_next(smol: LocalChat) -> None:
    story = [Message("user", "Write a very long story about a ship.")]
    running = asyncio.create_task(smol.complete(story, sampling=Sampling(max_tokens=900)))
    waiting = asyncio.create_task(smol.complete(story, sampling=Sampling(max_tokens=900)))
    await asyncio.sleep(0.5)
    running.cancel()
    waiting.cancel()
    answer = await smol.complete(HELLO, sampling=Sampling(max_tokens=2))
    assert answer.text
    for task in (running, waiting):
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.real_model
async def test_calls_from_many_tasks_wait_for_each_other(smol: LocalChat) -> None:
    asks = [[Message("user", f"Say {word}.")] for word in ("one", "two", "three")]
    sampling = Sampling(max_tokens=3)
    alone = [(await smol.complete(ask, sampling=sampling)).text for ask in asks]
    together = await asyncio.gather(*(smol.complete(ask, sampling=sampling) for ask in asks))
    assert [answer.text for answer in together] == alone


@pytest.mark.real_model
async def test_a_model_is_loaded_once_and_freed_with_its_last_user(smol: LocalChat) -> None:
    other = open_local_chat(SMOL, ONE_THREAD, cache_dir=None, offline=True)
    assert other._engine is smol._engine
    other.close()
    other.close()
    with pytest.raises(ModelRejected, match="was closed"):
        await other.complete(HELLO)
    assert (await smol.complete(HELLO, sampling=Sampling(max_tokens=1))).usage.calls == 1

    loaded = len(llama._shared)
    second = ModelSettings(threads=1, context_tokens=512)
    with open_local_chat(SMOL, second, cache_dir=None, offline=True):
        assert len(llama._shared) == loaded + 1
    assert len(llama._shared) == loaded


@pytest.mark.real_model
@pytest.mark.skipif(sys.platform == "win32", reason="Windows listens on loopback")
def test_no_port_is_opened_and_nothing_is_printed(
    smol: LocalChat, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = ModelSettings(threads=1, context_tokens=768)
    with open_local_chat(SMOL, settings, cache_dir=None, offline=True) as chat:
        address = chat._engine._server.listening_address  # type: ignore[union-attr]
    assert address.startswith("unix://")
    assert not Path(address.removeprefix("unix://")).exists()
    assert capfd.readouterr() == ("", "")


@pytest.mark.real_model
def test_the_context_is_the_smallest_of_wish_default_and_model(smol: LocalChat) -> None:
    assert smol.context_tokens == 1024
    path = find(SMOL) / "smollm2-135m-instruct-q4_1.gguf"
    with open_local_chat(str(path), ModelSettings(threads=1), cache_dir=None, offline=True) as chat:
        assert chat.name == f"local:{path}"
        assert chat.context_tokens == 8192  # the model was trained for 8,192


def test_a_file_that_is_no_model_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "fake.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(WeightsError, match=r"fake\.gguf is not a usable GGUF file"):
        open_local_chat(str(path), ModelSettings(), cache_dir=None, offline=True)


@pytest.mark.real_model
def test_a_file_that_breaks_off_is_refused_by_llama_cpp(tmp_path: Path) -> None:
    require(SMOL)
    path = tmp_path / "half.gguf"
    whole = find(SMOL) / "smollm2-135m-instruct-q4_1.gguf"
    with whole.open("rb") as stream:
        path.write_bytes(stream.read(10_000_000))
    with pytest.raises(WeightsError, match=r"cannot load .*half\.gguf"):
        open_local_chat(str(path), ONE_THREAD, cache_dir=None, offline=True)


@pytest.mark.parametrize("name", ["minilm", "gpt-9", "model.bin"])
def test_other_names_are_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(SettingsError) as raised:
        open_local_chat(name, ModelSettings(), cache_dir=None, offline=True)
    assert SMOL in raised.value.hint
    assert "minilm" not in raised.value.hint


def test_offline_a_missing_model_is_not_pulled(tmp_path: Path) -> None:
    with pytest.raises(WeightsError) as raised:
        open_local_chat(SMOL, ModelSettings(), cache_dir=tmp_path, offline=True)
    assert raised.value.hint == f"leafward models pull {SMOL}"


class FakeEngine:
    """Answers with given chunks, as llama.cpp would stream them."""

    def __init__(self, *chunks: dict[str, Any]) -> None:
        self.worker = None
        self.stream: Callable[..., list[dict[str, Any]]] = lambda *_: list(chunks)


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([{"error": {"code": 500, "message": "decode failed"}}], ModelUnavailable),
        ([{"error": {"code": 400, "message": "bad sampling"}}], ModelRejected),
        ([], UnusableOutput),
        ([{"choices": [{"delta": {"content": "a"}, "finish_reason": None}]}], UnusableOutput),
    ],
)
async def test_failures_of_llama_cpp_are_told_apart(
    chunks: list[dict[str, Any]], expected: type[ModelError]
) -> None:
    chat = LocalChat("local:fake", FakeEngine(*chunks), 1024)  # type: ignore[arg-type]
    with pytest.raises(expected) as raised:
        await chat.complete(HELLO)
    assert raised.value.hint


async def test_tokens_that_print_alike_keep_the_likelier_probability() -> None:
    top = [
        {"token": "\ufffd", "logprob": -2.0},
        {"token": "\ufffd", "logprob": -1.0},
        {"token": "\ufffd", "logprob": -3.0},
    ]
    token = {"token": "\ufffd", "logprob": -1.0, "top_logprobs": top}
    delta = {"delta": {"content": "x"}, "logprobs": {"content": [token]}, "finish_reason": "stop"}
    chat = LocalChat("local:fake", FakeEngine({"choices": [delta]}), 1024)  # type: ignore[arg-type]
    answer = await chat.complete(HELLO)
    assert answer.logprobs[0].top == {"\ufffd": -1.0}
